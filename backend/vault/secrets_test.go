package vault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
)

// keeping is secrets over a history and a ring of their own, with a clock.
type keeping struct {
	*Secrets
	t   testing.TB
	now time.Time
	env map[string]string // keys of providers
}

func openSecrets(t testing.TB, folder string, ring Keyring) *keeping {
	t.Helper()
	k, err := secretsIn(folder, ring)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Store.Close() })
	k.t = t
	return k
}

func secretsIn(folder string, ring Keyring) (*keeping, error) {
	s, err := store.Open(background, filepath.Join(folder, "history.db"), &sealed.Key{1}, 0)
	if err != nil {
		return nil, err
	}
	k := &keeping{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local), env: map[string]string{}}
	k.Secrets = NewSecrets(SecretsOptions{
		Store: s, Ring: ring, Providers: []string{"anthropic", "openai"}, Now: func() time.Time { return k.now },
		Environment: func(provider string) (string, string) { return "PARLEY_" + strings.ToUpper(provider), k.env[provider] },
	})
	return k, nil
}

// freshSecrets are over a sealed file.
func freshSecrets(t testing.TB) *keeping {
	t.Helper()
	folder := t.TempDir()
	return openSecrets(t, folder, sealedRing(t, folder))
}

func sealedRing(t testing.TB, folder string) *SealedFile {
	t.Helper()
	ring, err := OpenSealedFile(background, filepath.Join(folder, "keys.sealed"), passphrase, cheap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ring.Close() })
	return ring
}

func (k *keeping) make(n NewSecret) Secret {
	k.t.Helper()
	if n.Format == "" {
		n.Format = FormatText
	}
	one, err := k.Make(k.t.Context(), n)
	if err != nil {
		k.t.Fatal(err)
	}
	return one
}

func (k *keeping) change(id store.SecretID, c SecretChange) Secret {
	k.t.Helper()
	one, err := k.Change(k.t.Context(), id, c)
	if err != nil {
		k.t.Fatal(err)
	}
	return one
}

// resolve gives what a reference stands for, or the sentence that says why not.
func (k *keeping) resolve(project agent.ProjectID, text string) string {
	k.t.Helper()
	slug, field, _ := strings.Cut(text, ".")
	value, err := k.Resolve(k.t.Context(), project, agent.SecretRef{Slug: slug, Field: field})
	if err != nil {
		return "! " + agent.AsError(err).Message
	}
	return value
}

func (k *keeping) list(project agent.ProjectID) string {
	k.t.Helper()
	list, problem, err := k.List(k.t.Context(), project)
	if err != nil || problem != nil {
		k.t.Fatal(problem, err)
	}
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s %q %s %s", s.Slug, s.Name, s.Format, s.State)
		if s.Project != "" {
			fmt.Fprintf(&b, " in %s", s.Project)
		}
		if s.Hides {
			b.WriteString(" hides")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// hides reports whether a text has not a trace left of what it has.
func (k *keeping) hides(value string) bool {
	k.t.Helper()
	known, err := k.Known(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	return !strings.Contains(known.Text("before "+value+" after"), value)
}

func of[T any](v T) *T { return &v }

func TestSlugs(t *testing.T) {
	for name, want := range map[string]string{
		"GitHub token":             "github-token",
		"  --Döner & Söhne (2)--":  "doner-sohne-2",
		"Straße, Ærø, Łódź":        "strasse-aero-lodz",
		"ﬁne Ⅳ ½":                  "fine-iv-1-2",
		"API_KEY.prod":             "api-key-prod",
		"密码":                       "secret",
		"🔑":                        "secret",
		"İstanbul":                 "istanbul",
		"密码 prod":                  "prod",
		strings.Repeat("ab ", 60):  strings.Repeat("ab-", 21) + "a",
		strings.Repeat("a", 1_000): strings.Repeat("a", 64),
	} {
		if got := slugOf(name); got != want || CheckSlug(got) != nil {
			t.Errorf("%s: %s", name, got)
		}
	}
	taken := []string{"a", "a-2", strings.Repeat("a", 64)}
	for name, want := range map[string]string{"b": "b", "A": "a-3", strings.Repeat("a", 64): strings.Repeat("a", 62) + "-2"} {
		if got := freeSlug(name, taken); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAValueComesBackAsItWas(t *testing.T) {
	k := freshSecrets(t)
	for i, value := range []string{"", " spaces \n", `{"looks": {"like": "json"}}`, "1.0", "pässwörd\x00🔑", strings.Repeat("x", maxSecret)} {
		one := k.make(NewSecret{Name: fmt.Sprint("value ", i), Value: []byte(value)})
		if got := k.resolve("p", one.Slug); got != value {
			t.Errorf("%.40q came back as %.40q", value, got)
		}
		if got, err := k.Reveal(t.Context(), one.SecretID); err != nil || string(got) != value {
			t.Errorf("%.40q is revealed as %.40q (%v)", value, got, err)
		}
	}
	whole := ` {"user": "A \u00e4 \"b\"", "port": 5432, "big": 12345678901234567890.10e+2, "on": true, "none": null, "empty": ""}` + "\n"
	k.make(NewSecret{Name: "db", Format: FormatJSON, Value: []byte(whole)})
	for ref, want := range map[string]string{
		"db": whole, "db.user": `A ä "b"`, "db.port": "5432", "db.big": "12345678901234567890.10e+2", "db.on": "true", "db.none": "", "db.empty": "",
		"db.other":    "! The secret db has no field other. It has: user, port, big, on, none, empty. Mend the reference, or the secret under Secrets and keys.",
		"value-1.x":   "! The secret value-1 is text and has no fields, so there is no value-1.x. Refer to {{secret:value-1}}, or make it JSON, under Secrets and keys.",
		"nothing":     `! There is no secret "nothing" in this project. Add it under Secrets and keys, or with parley secrets set.`,
		"nothing.foo": `! There is no secret "nothing" in this project. Add it under Secrets and keys, or with parley secrets set.`,
	} {
		if got := k.resolve("p", ref); got != want {
			t.Errorf("%s gives %q", ref, got)
		}
	}
}

func TestWhatIsNoSecret(t *testing.T) {
	k := freshSecrets(t)
	k.make(NewSecret{Name: "taken"})
	value := "hunter2-do-not-tell"
	for name, n := range map[string]NewSecret{
		"1 to 128 characters":   {Value: []byte(value)},
		"without spaces around": {Name: " x", Value: []byte(value)},
		"in one line":           {Name: "x\ny"},
		"has 1000 characters":   {Name: "x", Description: strings.Repeat("d", 1001)},
		"1 to 64 characters":    {Name: "x", Tags: []string{""}},
		"already":               {Name: "x", Slug: "taken"},
		"small letters":         {Name: "x", Slug: "Not-A-Slug"},
		"single dashes":         {Name: "x", Slug: "a--b"},
		"no format":             {Name: "x", Format: "yaml"},
		"at most 65536":         {Name: "x", Value: make([]byte, maxSecret+1)},
		"no text in UTF-8":      {Name: "x", Value: []byte("\xff")},
		"no JSON":               {Name: "x", Format: FormatJSON, Value: []byte(value)},
		"is no object":          {Name: "x", Format: FormatJSON, Value: []byte(`["` + value + `"]`)},
		"no JSON:":              {Name: "x", Format: FormatJSON, Value: []byte(`{"a":"` + value + `",}`)},
		"the field a is there":  {Name: "x", Format: FormatJSON, Value: []byte(`{"a":"` + value + `","a":1}`)},
		"the field b holds":     {Name: "x", Format: FormatJSON, Value: []byte(`{"b":{"c":"` + value + `"}}`)},
		"the field c holds":     {Name: "x", Format: FormatJSON, Value: []byte(`{"c":[]}`)},
		`the field "d e" has`:   {Name: "x", Format: FormatJSON, Value: []byte(`{"d e":"` + value + `"}`)},
		"a character that is":   {Name: "x", Format: FormatJSON, Value: []byte(`{"f":"\ud800"}`)},
	} {
		if n.Format == "" {
			n.Format = FormatText
		}
		_, err := k.Make(t.Context(), n)
		if got := agent.AsError(err); !strings.Contains(got.Message, strings.TrimSuffix(name, ":")) || got.Code != agent.CodeValidation || strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := k.list(""); got != "taken \"taken\" text ok\n" {
		t.Errorf("there are\n%s", got)
	}
}

func TestWhatIsTooShortToBeMaskedIsSaid(t *testing.T) {
	k := freshSecrets(t)
	for value, want := range map[string]string{
		`{"password":"hunter-two","port":123456,"on":true,"none":null,"empty":""}`: "",
		`{"pin":"123","port":5432}`: "pin port",
		"":                          "",
		"123":                       "It",
		"1234":                      "",
	} {
		format := FormatText
		if strings.HasPrefix(value, "{") {
			format = FormatJSON
		}
		var said []string
		for _, warning := range k.make(NewSecret{Name: "x", Format: format, Value: []byte(value)}).Warnings {
			said = append(said, strings.Fields(strings.TrimPrefix(warning, "Its field "))[0])
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("%s: of %s is said that it is short", value, got)
		}
	}
}

func TestAProjectsSecretHidesTheOneForAll(t *testing.T) {
	k := freshSecrets(t)
	k.make(NewSecret{Name: "Token", Value: []byte("for all")})
	k.make(NewSecret{Project: "p", Name: "Its token", Slug: "token", Value: []byte("of p")})
	k.make(NewSecret{Project: "q", Name: "Only here", Value: []byte("of q")})
	for project, want := range map[agent.ProjectID]string{"p": "of p", "q": "for all", "": "for all"} {
		if got := k.resolve(project, "token"); got != want {
			t.Errorf("%s: %s", project, got)
		}
	}
	if got := k.resolve("p", "only-here"); !strings.HasPrefix(got, "! There is no secret") {
		t.Errorf("another project's: %s", got)
	}
	if got := k.list("p"); got != "token \"Token\" text ok\ntoken \"Its token\" text ok in p hides\n" {
		t.Errorf("in p there are\n%s", got)
	}
	if one := k.make(NewSecret{Name: "only here"}); one.Slug != "only-here-2" {
		t.Errorf("one for all would be hidden: %s", one.Slug)
	}
	if one := k.make(NewSecret{Project: "q", Name: "token"}); one.Slug != "token-2" {
		t.Errorf("it would hide one for all: %s", one.Slug)
	}
}

func TestARotatedSecret(t *testing.T) {
	k := freshSecrets(t)
	id := k.make(NewSecret{Name: "Old name", Value: []byte("first value")}).SecretID
	if got := k.change(id, SecretChange{Name: of("New name"), Description: of("why"), Tags: &[]string{"a"}}); got.Slug != "old-name" || got.Name != "New name" {
		t.Errorf("renamed it is %+v", got)
	}
	var values []string
	for i := range mostFormer + 2 {
		value := fmt.Sprintf("value number %d", i)
		k.change(id, SecretChange{Value: of([]byte(value))})
		if got := k.resolve("p", "old-name"); got != value {
			t.Errorf("the next call is given %q, not %q", got, value)
		}
		values = append(values, value)
		if !k.hides(value) {
			t.Errorf("%q can be seen", value)
		}
	}
	for i, value := range values {
		if hides, want := k.hides(value), i >= len(values)-1-mostFormer; hides != want {
			t.Errorf("%q is hidden: %v", value, hides)
		}
	}
	if got := k.list("p"); got != "old-name \"New name\" text ok\n" {
		t.Errorf("there are\n%s", got)
	}
	same := k.change(id, SecretChange{Value: of([]byte(values[len(values)-1]))})
	if !k.hides(values[1]) || same.Description != "why" || !slices.Equal(same.Tags, []string{"a"}) {
		t.Errorf("the same value again lost something: %+v", same)
	}
}

func TestAnotherFormatIsSaid(t *testing.T) {
	k := freshSecrets(t)
	id := k.make(NewSecret{Name: "db", Value: []byte(`{"password":"hunter-two"}`)}).SecretID
	one := k.change(id, SecretChange{Format: of(FormatJSON)})
	if len(one.Warnings) != 1 || !slices.Equal(one.Shown, []string{"password"}) || k.resolve("p", "db.password") != "hunter-two" {
		t.Errorf("as JSON it is %+v", one)
	}
	if _, err := k.Change(t.Context(), id, SecretChange{Value: of([]byte("plain"))}); err == nil || k.resolve("p", "db.password") != "hunter-two" {
		t.Errorf("no JSON was taken: %v", err)
	}
	one = k.change(id, SecretChange{Format: of(FormatText)})
	if len(one.Warnings) != 1 || one.Shown != nil || k.resolve("p", "db") != `{"password":"hunter-two"}` || !k.hides("hunter-two") {
		t.Errorf("as text it is %+v", one)
	}
}

func TestTheEndOfASecret(t *testing.T) {
	k := freshSecrets(t)
	end := k.now.Add(30 * 24 * time.Hour)
	id := k.make(NewSecret{Name: "lent", Value: []byte("for a while"), Expires: end}).SecretID
	warnings := func() string {
		list, _, err := k.List(t.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(list[0].Warnings, " ")
	}
	if got := warnings(); got != "" {
		t.Errorf("long before, one is warned: %s", got)
	}
	k.now = k.now.Add(17 * 24 * time.Hour)
	if got := warnings(); got != "It is used until "+day(end)+" only." {
		t.Errorf("shortly before, one is told %q", got)
	}
	k.now = k.now.Add(13 * 24 * time.Hour)
	if got := k.resolve("p", "lent"); !strings.HasPrefix(got, "! The secret lent is not used any more since "+day(end)+". Give it another end") {
		t.Errorf("at its end it gives %q", got)
	}
	if got := k.list("p"); got != "lent \"lent\" text expired\n" || !k.hides("for a while") {
		t.Errorf("there are\n%s", got)
	}
	k.change(id, SecretChange{Expires: &time.Time{}})
	if got := k.resolve("p", "lent"); got != "for a while" {
		t.Errorf("without an end it gives %q", got)
	}
}

func TestARemovedSecret(t *testing.T) {
	k := freshSecrets(t)
	id := k.make(NewSecret{Name: "gone", Value: []byte("soon to go")}).SecretID
	if err := k.Remove(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Ring.Get(t.Context(), "secret:gone"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the keyring has it: %v", err)
	}
	if got := k.list("p"); got != "" {
		t.Errorf("there are\n%s", got)
	}
	if err := k.Remove(t.Context(), id); err == nil || !strings.Contains(agent.AsError(err).Message, `no secret "gone"`) {
		t.Errorf("again: %v", err)
	}
}

func TestASecretWhoseValueIsGone(t *testing.T) {
	k := freshSecrets(t)
	id := k.make(NewSecret{Name: "lost", Value: []byte("value")}).SecretID
	if err := k.Ring.Delete(t.Context(), "secret:lost"); err != nil {
		t.Fatal(err)
	}
	k.loaded.Store(nil)
	if got := k.list("p"); got != "lost \"lost\" text missing\n" {
		t.Errorf("there are\n%s", got)
	}
	if got := k.resolve("p", "lost"); !strings.HasPrefix(got, "! The value of the secret lost is not in the keyring any more. Set it again") {
		t.Errorf("it gives %q", got)
	}
	if _, err := k.Change(t.Context(), id, SecretChange{Format: of(FormatJSON)}); !errors.Is(err, ErrNotFound) {
		t.Errorf("another format of nothing: %v", err)
	}
	k.change(id, SecretChange{Value: of([]byte("again"))})
	if got := k.list("p") + k.resolve("p", "lost"); got != "lost \"lost\" text ok\nagain" {
		t.Errorf("set again it is %s", got)
	}
	if err := errors.Join(k.Ring.Delete(t.Context(), "secret:lost"), k.Remove(t.Context(), id)); err != nil {
		t.Errorf("removed: %v", err)
	}
}

// TestADamagedItem: it is set again, as its error says, and does not keep the others from being removed.
func TestADamagedItem(t *testing.T) {
	k := freshSecrets(t)
	for _, name := range []string{"first", "second"} {
		k.make(NewSecret{Name: name, Value: []byte("hunter22")})
	}
	if err := k.PutKey(t.Context(), "openai", "own", []byte("sk-0123456789abcdef")); err != nil {
		t.Fatal(err)
	}
	damage := func(id store.SecretID) {
		t.Helper()
		put(t, k.Ring, account(id), []byte("{"))
		k.loaded.Store(nil)
		if _, err := k.Known(t.Context()); !errors.Is(err, ErrDamaged) {
			t.Fatalf("what is known: %v", err)
		}
	}
	first, own := store.SecretID{Slug: "first"}, store.SecretID{Provider: "openai", Slug: "own"}
	damage(first)
	value := []byte("hunter23")
	if _, err := k.Change(t.Context(), first, SecretChange{Value: &value}); err != nil {
		t.Errorf("setting it again: %v", err)
	}
	damage(own)
	if err := k.PutKey(t.Context(), "openai", "own", []byte("sk-0123456789abcdeg")); err != nil {
		t.Errorf("setting the key again: %v", err)
	}
	if _, err := k.Known(t.Context()); err != nil {
		t.Errorf("what is known then: %v", err)
	}
	damage(first)
	if err := k.RemoveAll(t.Context()); err != nil {
		t.Errorf("removing all: %v", err)
	}
	for _, id := range []store.SecretID{first, {Slug: "second"}, own} {
		if _, err := k.Ring.Get(t.Context(), account(id)); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s is in the keyring: %v", id.Slug, err)
		}
	}
}

// TestAnotherHistorysItem: two data folders share a keychain. Of two secrets of one name the later is there, and the earlier is
// missing, not the later's value.
func TestAnotherHistorysItem(t *testing.T) {
	ring := sealedRing(t, t.TempDir())
	mine, theirs := openSecrets(t, t.TempDir(), ring), openSecrets(t, t.TempDir(), ring)
	theirs.now = mine.now.Add(time.Second)
	id := mine.make(NewSecret{Name: "same", Value: []byte("mine")}).SecretID
	theirs.make(NewSecret{Name: "same", Value: []byte("theirs")})
	if got := mine.resolve("p", "same"); !strings.Contains(got, "not in the keyring any more") {
		t.Errorf("it gives %q", got)
	}
	if err := mine.Remove(t.Context(), id); err != nil || theirs.resolve("p", "same") != "theirs" {
		t.Errorf("removing mine took theirs (%v)", err)
	}
}

func TestImport(t *testing.T) {
	k := freshSecrets(t)
	k.make(NewSecret{Project: "p", Name: "Database URL", Value: []byte("old")})
	made, refused, err := k.Import(t.Context(), "p", "DATABASE_URL=new\nexport GITHUB_TOKEN='ghp x'\nnonsense\nGITHUB_TOKEN=again\nEMPTY=\n")
	if err != nil || len(made) != 2 {
		t.Fatalf("made are %+v (%v)", made, err)
	}
	var lines []string
	for _, r := range refused {
		lines = append(lines, fmt.Sprint(r.Line, " ", r.Why))
	}
	want := `1 There is a secret database-url already. Give it a new value, or take another name. Nothing was stored.
3 This is no NAME=value.
4 There is a secret github-token already. Give it a new value, or take another name. Nothing was stored.`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("refused are\n%s", got)
	}
	if k.resolve("p", "github-token") != "ghp x" || k.resolve("p", "empty") != "" || k.resolve("p", "database-url") != "old" || k.resolve("q", "empty") == "" {
		t.Error("something else was stored")
	}
}

// FuzzFields: whatever is taken as a json secret is one flat object for encoding/json too, and no error repeats a value.
func FuzzFields(f *testing.F) {
	for _, value := range []string{`{"a":1}`, `{"a":"b","c":null,"d":true}`, `{"a":{}}`, `{"a":1,"a":2}`, `[1]`, `{"a":1}{}`, `{"a":1e400}`, `{"a":"\ud800"}`, "{}", " {} "} {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		fields, err := checkValue(FormatJSON, value)
		if err != nil {
			return
		}
		checkAgainstJSON(t, value, fields)
	})
}

func checkAgainstJSON(t *testing.T, value []byte, fields []field) {
	t.Helper()
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(value))
	dec.UseNumber()
	if err := dec.Decode(&object); err != nil || len(object) != len(fields) {
		t.Fatalf("%q has %d fields (%v)", value, len(fields), err)
	}
	for _, f := range fields {
		want := fmt.Sprint(object[f.name])
		if object[f.name] == nil {
			want = ""
		}
		if f.text != want {
			t.Errorf("%q: %s is %q", value, f.name, f.text)
		}
	}
}
