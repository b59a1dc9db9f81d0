// What a person does with windows and sees on the screen, where no window manager does it for them:
//
//   desktop windows        a line for each window: its id, and "shown" or "hidden"
//   desktop hide ID        puts a window away, as minimising does
//   desktop close ID       asks a window to close, as its button does
//   desktop picture FILE   keeps the screen as a PNG, and says how many colours it has
#include <gdk/gdkx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Toolkits have windows that are never seen. Those that are meant for a person say what type they are.
static gboolean is_for_people(Display *display, Window window) {
  Atom type = None;
  int format;
  unsigned long count, left;
  unsigned char *value = NULL;
  XGetWindowProperty(display, window, XInternAtom(display, "_NET_WM_WINDOW_TYPE", False), 0, 0, False, AnyPropertyType,
                     &type, &format, &count, &left, &value);
  if (value) XFree(value);
  return type != None;
}

static void list_windows(Display *display) {
  Window root, parent, *windows = NULL;
  unsigned count = 0;
  XQueryTree(display, DefaultRootWindow(display), &root, &parent, &windows, &count);
  for (unsigned i = 0; i < count; i++) {
    XWindowAttributes attributes;
    if (!is_for_people(display, windows[i]) || !XGetWindowAttributes(display, windows[i], &attributes)) continue;
    printf("%lu %s\n", windows[i], attributes.map_state == IsViewable ? "shown" : "hidden");
  }
  XFree(windows);
}

static void close_window(Display *display, Window window) {
  XClientMessageEvent event = {.type = ClientMessage, .window = window, .format = 32};
  event.message_type = XInternAtom(display, "WM_PROTOCOLS", False);
  event.data.l[0] = XInternAtom(display, "WM_DELETE_WINDOW", False);
  event.data.l[1] = CurrentTime;
  XSendEvent(display, window, False, NoEventMask, (XEvent *)&event);
}

static void keep_picture(const char *file) {
  GdkWindow *root = gdk_get_default_root_window();
  int width = gdk_window_get_width(root), height = gdk_window_get_height(root);
  GdkPixbuf *picture = gdk_pixbuf_get_from_window(root, 0, 0, width, height);
  GHashTable *colours = g_hash_table_new(NULL, NULL);
  for (int y = 0; y < height; y++) {
    const guchar *row = gdk_pixbuf_read_pixels(picture) + y * gdk_pixbuf_get_rowstride(picture);
    for (int x = 0; x < width; x++) {
      const guchar *p = row + x * gdk_pixbuf_get_n_channels(picture);
      g_hash_table_add(colours, GINT_TO_POINTER(p[0] << 16 | p[1] << 8 | p[2]));
    }
  }
  printf("%u\n", g_hash_table_size(colours));
  if (!gdk_pixbuf_save(picture, file, "png", NULL, NULL)) exit(1);
}

int main(int argc, char **argv) {
  if (argc < 2 || !gdk_init_check(&argc, &argv)) return 1;
  Display *display = GDK_DISPLAY_XDISPLAY(gdk_display_get_default());
  const char *act = argv[1], *on = argc > 2 ? argv[2] : "";
  if (!strcmp(act, "windows")) list_windows(display);
  else if (!strcmp(act, "hide")) XUnmapWindow(display, strtoul(on, NULL, 10));
  else if (!strcmp(act, "close")) close_window(display, strtoul(on, NULL, 10));
  else if (!strcmp(act, "picture")) keep_picture(on);
  else return 1;
  XSync(display, False);
  return 0;
}
