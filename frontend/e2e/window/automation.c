// Preloaded into Parley, this lets WebKitWebDriver drive its window. Nothing of Parley is changed for that: the toolkit's
// way of making a web view is replaced by one that lets itself be automated.
#include <webkit2/webkit2.h>

static WebKitWebView *view;

static WebKitWebView *give_view(WebKitAutomationSession *session, gpointer data) { return view; }

static void answer(WebKitWebContext *context, WebKitAutomationSession *session, gpointer data) {
  // Without a name and a version the session is never made.
  WebKitApplicationInfo *info = webkit_application_info_new();
  webkit_application_info_set_name(info, "Parley");
  webkit_application_info_set_version(info, 1, 0, 0);
  webkit_automation_session_set_application_info(session, info);
  webkit_application_info_unref(info);
  g_signal_connect(session, "create-web-view", G_CALLBACK(give_view), NULL);
}

GtkWidget *webkit_web_view_new_with_user_content_manager(WebKitUserContentManager *manager) {
  WebKitWebContext *context = webkit_web_context_get_default();
  webkit_web_context_set_automation_allowed(context, TRUE);
  g_signal_connect(context, "automation-started", G_CALLBACK(answer), NULL);
  view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "user-content-manager", manager, "is-controlled-by-automation", TRUE, NULL);
  return GTK_WIDGET(view);
}
