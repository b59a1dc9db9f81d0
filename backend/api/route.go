package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"

	"parley/backend/agent"
	"parley/backend/session"
)

// route is one resource of the door. The types of its bodies are kept, because the page's TypeScript and openapi.json are
// generated from what the handlers really decode and encode.
type route struct {
	pattern           string
	serve             func(*Door, caller, http.ResponseWriter, *http.Request)
	handler           any // what serve calls
	query             []string
	request, response reflect.Type
	owners            bool  // closed to who has the token of one project only
	most              int64 // bytes of a body; 0: as many as the door takes at all
}

var routes = []route{
	answer("GET /health", (*Door).health),
	owners(answer("POST /window", (*Door).showWindow)),
	owners(accept("POST /projects", (*Door).openProject)),
	answer("GET /vault", (*Door).getVault),
	answer("POST /vault/active", inside.beActive),
	owners(accept("POST /vault/unlock", (*Door).unlockVault)),
	owners(answer("POST /vault/lock", (*Door).lockVault)),
	owners(accept("PUT /vault/lock-after", (*Door).setLockAfter)),
	owners(accept("POST /vault/rotate", (*Door).rotateVault)),
	owners(accept("POST /vault/salvage", (*Door).salvageVault)),
	owners(answer("POST /vault/start-new", (*Door).startNewVault)),
	owners(accept("POST /vault/delete-everything", (*Door).deleteEverything)),
	owners(answer("POST /vault/recovery-code", (*Door).makeRecoveryCode)),
	owners(accept("PUT /vault/recovery-code", (*Door).setRecoveryCode)),
	owners(accept("PUT /vault/passphrase", (*Door).setPassphrase)),
	owners(answer("DELETE /vault/passphrase", (*Door).removePassphrase)),
	owners(accept("POST /vault/backup", (*Door).backUpVault)),
	owners(answer("POST /vault/scrub", inside.scrubVault)),
	answer("GET /agents", inside.listAgents),
	answer("GET /sandbox", (*Door).getSandbox),
	owners(answer("GET /agents/{id}", inside.getAgent)),
	owners(accept("PUT /agents/{id}", inside.putAgent)),
	owners(answer("DELETE /agents/{id}", inside.removeAgent)),
	owners(accept("POST /agents/{id}/file", inside.saveAgent)),
	owners(answer("PUT /trust", inside.trust)),
	owners(answer("DELETE /trust", inside.distrust)),
	owners(answer("GET /harnesses", (*Door).listHarnesses)),
	owners(answer("POST /harnesses", (*Door).lookForHarnesses)),
	asking(answer("GET /sessions", inside.listSessions), "limit", "after"),
	answer("GET /sessions/{id}", inside.getSession),
	accept("PATCH /sessions/{id}", inside.changeSession),
	answer("DELETE /sessions/{id}", inside.deleteSession),
	answer("POST /sessions/{id}/restore", inside.restoreSession),
	answer("POST /sessions/{id}/purge", inside.purgeSession),
	accept("POST /sessions/{id}/fork", inside.forkSession),
	asking(answer("GET /sessions/{id}/export", inside.exportSession), "format"),
	accept("POST /import", inside.importSession),
	answer("GET /workflows", inside.listWorkflows),
	asking(answer("GET /workflows/file", inside.openWorkflow), "path"),
	upTo(maxWorkflow, asking(accept("PUT /workflows/file", inside.saveWorkflow), "path")),
	answer("GET /workflows/drafts", inside.listWorkflowDrafts),
	upTo(maxWorkflow, asking(accept("PUT /workflows/draft", inside.putWorkflowDraft), "path")),
	asking(answer("DELETE /workflows/draft", inside.removeWorkflowDraft), "path"),
	upTo(maxWorkflow, accept("POST /workflows/check", inside.checkWorkflow)),
	upTo(maxWorkflow, accept("POST /workflows/origins", inside.findOrigins)),
	answer("GET /sessions/{id}/changes/{answer}", inside.listChanges),
	accept("POST /sessions/{id}/changes/{answer}", inside.revert),
	answer("GET /sessions/{id}/messages", inside.listMessages),
	asking(stream[session.Event]("GET /sessions/{id}/events", inside.streamEvents), "from"),
	stream[Reply]("POST /messages", inside.postMessage),
	stream[noBody]("GET /messages/{id}/stream", inside.resumeMessage),
	answer("POST /messages/{id}/stop", inside.stopMessage),
	answer("GET /messages/{id}/queue", inside.listQueue),
	accept("PATCH /messages/{id}/queue/{n}", inside.changeQueued),
	answer("DELETE /messages/{id}/queue/{n}", inside.removeQueued),
	asking(answer("POST /messages/{id}/send-now", inside.sendNow), "n"),
	accept("POST /messages/{id}/branch", inside.chooseBranch),
	asking(taking[LoadRequest](stream[LoadedSession]("POST /load-session", inside.loadSession)), "limit", "before", "after", "around"),
	answer("GET /approvals", inside.listApprovals),
	accept("POST /approvals/{id}", inside.decide),
	answer("GET /permissions", inside.listPermissions),
	answer("DELETE /permissions/{id}", inside.revoke),
	owners(answer("GET /mcp/servers", (*Door).listServers)),
	owners(accept("PUT /mcp/servers/{id}", (*Door).putServer)),
	owners(answer("DELETE /mcp/servers/{id}", (*Door).removeServer)),
	owners(answer("POST /mcp/servers/{id}/start", inside.tryServer)),
	owners(accept("POST /mcp/import", (*Door).importServers)),
	owners(answer("GET /secrets", inside.listSecrets)),
	owners(accept("POST /secrets", inside.makeSecret)),
	owners(accept("POST /import-secrets", inside.importSecrets)),
	owners(accept("POST /sweep-secret", inside.sweepSecret)),
	asking(owners(accept("PATCH /secrets/{id}", inside.changeSecret)), "global"),
	asking(owners(answer("DELETE /secrets/{id}", inside.removeSecret)), "global"),
	asking(owners(answer("POST /secrets/{id}/reveal", inside.revealSecret)), "global"),
	asking(owners(answer("GET /secrets/{id}/uses", inside.listSecretUses)), "global"),
	accept("POST /find-credentials", (*Door).findCredentials),
	owners(answer("GET /keys", inside.listKeys)),
	owners(accept("POST /keys", inside.putKey)),
	owners(answer("POST /keys/{provider}/{name}/check", inside.checkKey)),
	owners(accept("PUT /chosen-keys/{provider}", inside.chooseKey)),
	owners(answer("DELETE /keys/{provider}/{name}", inside.removeKey)),
	answer("POST /media", inside.postMedia),
	stream[noBody]("GET /media/{sum}", inside.getMedia),
	asking(answer("GET /search", inside.search), "q", "agent", "role", "whole", "since", "until", "limit", "after"),
}

// upTo is for bodies that take much more memory than they have bytes.
func upTo(most int64, r route) route {
	r.most = most
	return r
}

// owners closes a route to who has the token of one project only.
func owners(r route) route {
	r.owners = true
	return r
}

// noBody is the request or response of a route that has none of its own types.
type noBody struct{}

// place is where a handler works: at the door, or inside, where the history is open.
type place interface{ *Door | inside }

// lead gives the handler's place, if a request may go there, and how it leaves.
func lead[At place](d *Door, c caller, r *http.Request) (at At, leave func(), err error) {
	leave = func() {}
	switch at := any(&at).(type) {
	case **Door:
		*at = d
	case *inside:
		*at, leave, err = d.enterFor(r, c)
	}
	return at, leave, err
}

// answer is a route without a request body.
func answer[At place, Res any](pattern string, fn func(At, *http.Request) (Res, error)) route {
	return route{pattern: pattern, handler: fn, serve: func(d *Door, c caller, w http.ResponseWriter, r *http.Request) {
		var res Res
		at, leave, err := lead[At](d, c, r)
		defer leave()
		if err == nil {
			res, err = fn(at, r)
		}
		respond(d, w, res, err)
	}, response: reflect.TypeFor[Res]()}
}

// accept is a route with a request body.
func accept[At place, Req, Res any](pattern string, fn func(At, *http.Request, Req) (Res, error)) route {
	return route{pattern: pattern, handler: fn, serve: func(d *Door, c caller, w http.ResponseWriter, r *http.Request) {
		var req Req
		var res Res
		at, leave, err := lead[At](d, c, r)
		defer leave()
		if err == nil {
			err = decode(r, &req)
		}
		if err == nil {
			res, err = fn(at, r, req)
		}
		respond(d, w, res, err)
	}, request: reflect.TypeFor[Req](), response: reflect.TypeFor[Res]()}
}

// stream is a route that writes its own reply, whose lines are of type Item if that is one of ours.
func stream[Item any](pattern string, fn func(inside, http.ResponseWriter, *http.Request) error) route {
	return route{pattern: pattern, handler: fn, serve: func(d *Door, c caller, w http.ResponseWriter, r *http.Request) {
		at, leave, err := d.enterFor(r, c)
		defer leave()
		if err == nil {
			err = fn(at, w, r)
		}
		if err != nil {
			d.refuse(w, err)
		}
	}, response: reflect.TypeFor[Item]()}
}

// asking names the parameters of the query.
func asking(r route, names ...string) route {
	r.query = names
	return r
}

// taking names the type of the body that a stream decodes itself.
func taking[Req any](r route) route {
	r.request = reflect.TypeFor[Req]()
	return r
}

func respond[Res any](d *Door, w http.ResponseWriter, res Res, err error) {
	if err != nil {
		d.refuse(w, err)
		return
	}
	if _, none := any(res).(noBody); none {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	writeJSON(w, http.StatusOK, res)
}

// body reads a JSON body whole. Asking for the content type is what makes a cross-site form unable to send one.
func body(r *http.Request) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("content-type")); err != nil || kind != "application/json" {
		return nil, &refusal{http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the body as application/json."}
	}
	return content(r.Body)
}

// content reads all of a body. That it cannot be read is the sender's doing.
func content(body io.Reader) ([]byte, error) {
	b, err := io.ReadAll(body)
	var known *refusal
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &known) && !errors.As(err, &tooLarge) {
		err = agent.Wrap(agent.CodeValidation, err, "The body of the request broke off.")
	}
	return b, err
}

// decode reads a body strictly: a key that nobody asks for is a mistake somebody should hear of.
func decode(r *http.Request, into any) error {
	b, err := body(r)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	err = dec.Decode(into)
	if err == nil && dec.More() {
		err = errors.New("something follows the JSON value")
	}
	if err != nil {
		return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The request body cannot be read: %v.", err))
	}
	return nil
}
