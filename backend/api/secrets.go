package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/vault"
)

// Secret is a named secret, without its value.
type Secret struct {
	Slug        string            `json:"slug"` // what references call it, for good
	Name        string            `json:"name"`
	Project     agent.ProjectID   `json:"project,omitempty"` // empty: it is for every project
	Format      vault.Format      `json:"format"`
	Description string            `json:"description"`
	Tags        []string          `json:"tags"`
	Created     int64             `json:"created"`            // milliseconds since 1970, as the others
	LastUsed    int64             `json:"lastUsed,omitempty"` // 0: never
	Expires     int64             `json:"expires,omitempty"`  // 0: never
	State       vault.SecretState `json:"state"`
	Fields      []string          `json:"fields"` // of the format json
	References  []SecretReference `json:"references"`
	Hides       bool              `json:"hides"`    // it is the project's, and hides the one for every project with its slug
	Warnings    []string          `json:"warnings"` // sentences for the person
}

// SecretReference is a place that refers to a secret.
type SecretReference struct {
	Kind  ReferenceKind `json:"kind"`
	Name  string        `json:"name"`  // of the tool, or the id of the server or the agent
	Where string        `json:"where"` // in it, such as env.TOKEN
}

// ReferenceKind says what refers to a secret.
type ReferenceKind string

// The kinds; the enum is closed.
const (
	ReferenceMCP   ReferenceKind = "mcp"
	ReferenceAgent ReferenceKind = "agent"
	ReferenceTool  ReferenceKind = "tool" // that every agent may be given: web_search
)

// SecretList is the secrets of a project and those for every project, by their slugs.
type SecretList struct {
	Secrets []Secret `json:"secrets"`
	Problem string   `json:"problem,omitempty"` // why the keyring cannot be read, and what to do; then no state is missing
}

// NewSecret is a secret to be stored. Without a slug it gets one of its name.
type NewSecret struct {
	Name        string       `json:"name"`
	Slug        string       `json:"slug,omitempty"`
	Global      bool         `json:"global,omitempty"` // for every project
	Format      vault.Format `json:"format"`
	Value       string       `json:"value"`
	Description string       `json:"description,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Expires     int64        `json:"expires,omitempty"`
}

// SecretChange is what is to be different about a secret; what is left out stays.
type SecretChange struct {
	Name        *string       `json:"name,omitempty"`
	Description *string       `json:"description,omitempty"`
	Tags        *[]string     `json:"tags,omitempty"`
	Expires     *int64        `json:"expires,omitempty"` // 0: never
	Value       *string       `json:"value,omitempty"`   // the one before is still kept from being shown
	Format      *vault.Format `json:"format,omitempty"`
}

// SecretRemoved says what referred to a secret that is gone.
type SecretRemoved struct {
	References []SecretReference `json:"references"`
}

// SecretValue is the value itself.
type SecretValue struct {
	Value string `json:"value"`
}

// SecretUses is what used a secret, the newest first.
type SecretUses struct {
	Uses []SecretUse `json:"uses"`
}

// SecretUse is one use of a secret.
type SecretUse struct {
	Session agent.SessionID `json:"session"`
	Title   string          `json:"title"`
	Tool    string          `json:"tool"`
	At      int64           `json:"at"`
}

// SecretsToImport is text as files called .env have it.
type SecretsToImport struct {
	Text   string `json:"text"`
	Global bool   `json:"global,omitempty"`
}

// SecretsImported says which secrets were made, and which lines were not taken.
type SecretsImported struct {
	Made    []Secret        `json:"made"`
	Refused []SecretRefused `json:"refused"`
}

// SecretRefused is a line that was not taken.
type SecretRefused struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// SecretToSweep is the secret whose values are to be masked in what was said before.
type SecretToSweep struct {
	Slug string `json:"slug"`
}

// SecretSwept is how many messages and records had them.
type SecretSwept struct {
	Masked int `json:"masked"`
	Busy   int `json:"busy"` // sessions that were left out, because a turn of theirs runs or waits for an answer
}

func (d inside) listSecrets(r *http.Request) (SecretList, error) {
	found, problem, err := d.Secrets.List(r.Context(), d.project)
	list := SecretList{Secrets: make([]Secret, len(found))}
	if problem != nil {
		list.Problem = agent.AsError(problem).Message
	}
	referring := d.referring(r)
	for i, s := range found {
		list.Secrets[i] = toSecret(s, referring)
	}
	return list, err
}

func toSecret(s vault.Secret, referring map[string][]SecretReference) Secret {
	out := Secret{
		Slug: s.Slug, Name: s.Name, Project: s.Project, Format: vault.Format(s.Format), Description: s.Description, Tags: append([]string{}, s.Tags...),
		Created: s.Created.UnixMilli(), State: s.State, Fields: append([]string{}, s.Shown...),
		References: append([]SecretReference{}, referring[s.Slug]...), Hides: s.Hides, Warnings: append([]string{}, s.Warnings...),
	}
	if !s.Used.IsZero() {
		out.LastUsed = s.Used.UnixMilli()
	}
	if !s.Expires.IsZero() {
		out.Expires = s.Expires.UnixMilli()
	}
	return out
}

// until reads an end; 0 is none.
func until(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMilli(at)
}

// owned is the project that a secret is made for.
func (d inside) owned(global bool) agent.ProjectID {
	if global {
		return ""
	}
	return d.project
}

func (d inside) makeSecret(r *http.Request, n NewSecret) (Secret, error) {
	made, err := d.Secrets.Make(r.Context(), vault.NewSecret{
		Project: d.owned(n.Global), Name: n.Name, Slug: n.Slug, Format: n.Format, Value: []byte(n.Value),
		Description: n.Description, Tags: n.Tags, Expires: until(n.Expires),
	})
	if err != nil {
		return Secret{}, err
	}
	return toSecret(made, d.referring(r)), nil
}

// secretID is which secret the path names: the one that the project sees, or with ?global=1 the one for every project.
func (d inside) secretID(r *http.Request) (store.SecretID, error) {
	id := store.SecretID{Slug: r.PathValue("id")}
	if r.URL.Query().Get("global") != "" {
		return id, nil
	}
	found, err := d.Secrets.Visible(r.Context(), d.project, id.Slug)
	return found.SecretID, err
}

func (d inside) changeSecret(r *http.Request, c SecretChange) (Secret, error) {
	id, err := d.secretID(r)
	if err != nil {
		return Secret{}, err
	}
	change := vault.SecretChange{Name: c.Name, Description: c.Description, Tags: c.Tags, Format: c.Format}
	if c.Expires != nil {
		end := until(*c.Expires)
		change.Expires = &end
	}
	if c.Value != nil {
		value := []byte(*c.Value)
		change.Value = &value
	}
	changed, err := d.Secrets.Change(r.Context(), id, change)
	if err != nil {
		return Secret{}, err
	}
	return toSecret(changed, d.referring(r)), nil
}

// removeSecret says what refers to the secret that is gone, and does not work any more.
func (d inside) removeSecret(r *http.Request) (SecretRemoved, error) {
	id, err := d.secretID(r)
	if err != nil {
		return SecretRemoved{}, err
	}
	return SecretRemoved{append([]SecretReference{}, d.referring(r)[id.Slug]...)}, d.Secrets.Remove(r.Context(), id)
}

func (d inside) revealSecret(r *http.Request) (SecretValue, error) {
	id, err := d.secretID(r)
	if err != nil {
		return SecretValue{}, err
	}
	value, err := d.Secrets.Reveal(r.Context(), id)
	defer vault.Wipe(value)
	return SecretValue{string(value)}, err
}

// mostUses is how many uses are told.
const mostUses = 500

func (d inside) listSecretUses(r *http.Request) (SecretUses, error) {
	id, err := d.secretID(r)
	if err != nil {
		return SecretUses{}, err
	}
	found, err := d.Store.SecretUses(r.Context(), id, mostUses)
	list := SecretUses{make([]SecretUse, len(found))}
	for i, u := range found {
		list.Uses[i] = SecretUse{u.Session, u.Title, u.Tool, u.At.UnixMilli()}
	}
	return list, err
}

func (d inside) importSecrets(r *http.Request, in SecretsToImport) (SecretsImported, error) {
	made, refused, err := d.Secrets.Import(r.Context(), d.owned(in.Global), in.Text)
	out := SecretsImported{[]Secret{}, []SecretRefused{}}
	referring := d.referring(r)
	for _, s := range made {
		out.Made = append(out.Made, toSecret(s, referring))
	}
	for _, l := range refused {
		out.Refused = append(out.Refused, SecretRefused(l))
	}
	return out, err
}

func (d inside) sweepSecret(r *http.Request, in SecretToSweep) (SecretSwept, error) {
	secret, err := d.Secrets.Visible(r.Context(), d.project, in.Slug)
	if err != nil {
		return SecretSwept{}, err
	}
	known, err := d.Secrets.KnownOf(r.Context(), secret)
	if err != nil {
		return SecretSwept{}, err
	}
	masked, busy, err := d.Sessions.Sweep(r.Context(), secret.Project, known)
	return SecretSwept{masked, busy}, err
}

// referring finds what of the project's refers to secrets, by their slugs: in its agents, in the MCP servers and in the search
// engine. A list that cannot be read refers to nothing, since nobody can use what is in it.
func (d inside) referring(r *http.Request) map[string][]SecretReference {
	found := map[string][]SecretReference{}
	look := func(kind ReferenceKind, name string, in any) {
		b, err := json.Marshal(in)
		var value any
		if err == nil {
			err = json.Unmarshal(b, &value)
		}
		if err != nil {
			panic(err) // what is kept as JSON has a JSON form
		}
		eachText(value, "", func(where, text string) {
			refs, _ := agent.SecretRefs(text) // what is none is told to who uses it
			for _, ref := range refs {
				found[ref.Slug] = append(found[ref.Slug], SecretReference{kind, name, where})
			}
		})
	}
	servers, err := d.Servers.All()
	if err != nil {
		d.Log.Warn("the servers that refer to secrets are not known", "error", err)
	}
	for _, server := range servers {
		look(ReferenceMCP, server.ID, server)
	}
	if search, err := d.Search(); err == nil { // else none is set up
		look(ReferenceTool, agent.WebSearch, search)
	}
	agents, err := d.Agents.List(r.Context(), d.Store, d.project)
	if err != nil {
		d.Log.Warn("the agents that refer to secrets are not known", "error", err)
	}
	for _, a := range agents.Agents {
		look(ReferenceAgent, a.ID, a.Spec)
	}
	return found
}

// eachText visits the texts in a JSON value, and where in it they are.
func eachText(value any, where string, visit func(where, text string)) {
	in := func(name string) string { return strings.TrimPrefix(where+"."+name, ".") }
	switch v := value.(type) {
	case string:
		visit(where, v)
	case []any:
		for i, one := range v {
			eachText(one, in(strconv.Itoa(i)), visit)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			eachText(v[name], in(name), visit)
		}
	}
}
