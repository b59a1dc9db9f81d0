package vault

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/store"
)

// SecretState says whether a named secret can be used.
type SecretState string

// The states; the enum is closed.
const (
	SecretOK      SecretState = "ok"
	SecretExpired SecretState = "expired"
	SecretMissing SecretState = "missing" // the keyring does not have its value
)

// warnBefore is how long before the end of a secret the person is told.
const warnBefore = 14 * 24 * time.Hour

// SecretsOptions is what secrets are kept with.
type SecretsOptions struct {
	Store       *store.Store
	Ring        Keyring
	Providers   []string                                       // that keys can be stored for
	Environment func(provider string) (variable, value string) // the key that the environment has; value is empty if it has none
	Now         func() time.Time
}

// Secrets keeps named secrets and the keys of providers: the values in the keyring, what else is known of them in the
// history. All methods may be called at once. Errors are *agent.Error or the store's.
//
// The two are written one after the other, and either may die in between. So the row says first that the keyring is at
// work: a value that is replaced is the old or the new one, with its own format and end, since they are one item; one
// that is made or removed counts as gone until its row says otherwise. settle brings to an end what died.
type Secrets struct {
	SecretsOptions
	mu     sync.Mutex              // of who changes something, or reads everything
	loaded atomic.Pointer[loading] // nil when it has to be read anew

	asking  sync.Mutex // of who asks what is known while it is not
	refused refusal
}

// loading is what reading everything that the keyring keeps came to.
type loading struct {
	known   *redact.Known
	missing []store.SecretID
}

// NewSecrets gives those of a history that is open.
func NewSecrets(o SecretsOptions) *Secrets { return &Secrets{SecretsOptions: o} }

// Secret is a named secret, as a project sees it.
type Secret struct {
	store.Secret
	State    SecretState
	Hides    bool     // it is the project's, and hides the one for every project with its slug
	Warnings []string // sentences for the person
}

// NewSecret is one to be stored.
type NewSecret struct {
	Project     agent.ProjectID // empty: for every project
	Name        string
	Slug        string // empty: one is made of the name
	Format      Format
	Value       []byte
	Description string
	Tags        []string
	Expires     time.Time // zero: never
}

// SecretChange is what is to be different; nil stays.
type SecretChange struct {
	Name, Description *string
	Tags              *[]string
	Expires           *time.Time
	Value             *[]byte
	Format            *Format
}

func account(id store.SecretID) string {
	switch {
	case id.Provider != "":
		return AccountProviderKey(id.Provider, id.Slug)
	case id.Project != "":
		return AccountSecret(string(id.Project) + "/" + id.Slug)
	}
	return AccountSecret(id.Slug)
}

// List gives the secrets of a project and those for every project. problem is why the keyring cannot be read: then
// nobody knows which are missing.
func (s *Secrets) List(ctx context.Context, project agent.ProjectID) (list []Secret, problem, err error) {
	read, problem := s.load(ctx)
	rows, err := s.rows(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		if row.Project == "" || row.Project == project {
			list = append(list, s.seen(row, rows, read))
		}
	}
	return list, problem, nil
}

// rows are the named secrets, or the keys of a provider, that there are.
func (s *Secrets) rows(ctx context.Context, provider string) ([]store.Secret, error) {
	rows, err := s.Store.Secrets(ctx)
	return slices.DeleteFunc(rows, func(r store.Secret) bool { return r.Provider != provider || r.Keeping == store.Going }), err
}

// seen is a row as its project sees it. read is nil if the keyring could not be read.
func (s *Secrets) seen(row store.Secret, rows []store.Secret, read *loading) Secret {
	one := Secret{Secret: row, State: SecretOK}
	one.Hides = row.Project != "" && slices.ContainsFunc(rows, func(o store.Secret) bool { return o.Project == "" && o.Slug == row.Slug })
	left := row.Expires.Sub(s.Now())
	switch {
	case read != nil && slices.Contains(read.missing, row.SecretID):
		one.State = SecretMissing
		one.Warnings = append(one.Warnings, "The keyring does not have its value any more. Set it again, or delete the secret.")
	case row.Expires.IsZero():
	case left <= 0:
		one.State = SecretExpired
		one.Warnings = append(one.Warnings, "It is not used any more since "+day(row.Expires)+". Give it another end.")
	case left <= warnBefore:
		one.Warnings = append(one.Warnings, "It is used until "+day(row.Expires)+" only.")
	}
	return one
}

func day(t time.Time) string { return t.Format("2 January 2006, 15:04") }

// Make stores a secret.
func (s *Secrets) Make(ctx context.Context, n NewSecret) (Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := checkWords(n.Name, n.Description, n.Tags); err != nil {
		return Secret{}, err
	}
	fields, err := checkValue(n.Format, n.Value)
	if err != nil {
		return Secret{}, err
	}
	rows, err := s.rows(ctx, "")
	if err != nil {
		return Secret{}, err
	}
	var taken []string // by what would be hidden, or hide it
	for _, row := range rows {
		if n.Project == "" || row.Project == "" || row.Project == n.Project {
			taken = append(taken, row.Slug)
		}
		if row.Project == n.Project && row.Slug == n.Slug {
			return Secret{}, agent.Errorf(agent.CodeValidation, "There is a secret %s already. Give it a new value, or take another name. Nothing was stored.", n.Slug)
		}
	}
	if n.Slug == "" {
		n.Slug = freeSlug(n.Name, taken)
	}
	if err := CheckSlug(n.Slug); err != nil {
		return Secret{}, err
	}
	row := store.Secret{
		SecretID: store.SecretID{Project: n.Project, Slug: n.Slug}, Name: n.Name, Description: n.Description, Tags: n.Tags,
		Created: s.Now(), Expires: n.Expires,
	}
	begun := row
	begun.Keeping = store.Going
	if err := s.keep(ctx, begun, &row, item{Format: n.Format, Value: n.Value}); err != nil {
		return Secret{}, err
	}
	return s.told(row, rows, fields, n.Value), nil
}

func checkWords(name, description string, tags []string) error {
	switch {
	case !isLine(name, 128):
		return agent.Errorf(agent.CodeValidation, "A secret is called by 1 to 128 characters in one line, without spaces around them.")
	case utf8.RuneCountInString(description) > 1000:
		return agent.Errorf(agent.CodeValidation, "The description of a secret has 1000 characters at most.")
	case len(tags) > 20 || slices.ContainsFunc(tags, func(tag string) bool { return !isLine(tag, 64) }):
		return agent.Errorf(agent.CodeValidation, "A secret has 20 tags at most, each of 1 to 64 characters in one line.")
	}
	return nil
}

// isLine reports whether a text is one line of so many characters at most, with something in it and no spaces around.
func isLine(text string, most int) bool {
	n := utf8.RuneCountInString(text)
	return n > 0 && n <= most && strings.TrimSpace(text) == text && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// told is a secret that was just stored, with what the person has to know of its value.
func (s *Secrets) told(row store.Secret, rows []store.Secret, fields []field, value []byte) Secret {
	one := s.seen(row, rows, nil)
	isSeen := func(text string) bool { return text != "" && !redact.Searched(strings.TrimSpace(text)) }
	if isSeen(string(value)) {
		one.Warnings = append(one.Warnings, "It is so short that it cannot be told from chance: where it is repeated, it is not masked.")
	}
	for _, f := range fields {
		if !f.isWord && (f.isShort || isSeen(f.text)) {
			one.Warnings = append(one.Warnings, "Its field "+f.name+" is so short that it cannot be told from chance: where that is repeated, it is not masked.")
		}
	}
	return one
}

// Change changes a secret; with a new value, or another format or end, what the keyring holds.
func (s *Secrets) Change(ctx context.Context, id store.SecretID, c SecretChange) (Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.rows(ctx, id.Provider)
	if err != nil {
		return Secret{}, err
	}
	was, err := find(rows, id)
	if err != nil {
		return Secret{}, err
	}
	row := was
	row.Name, row.Description = *cmp.Or(c.Name, &row.Name), *cmp.Or(c.Description, &row.Description)
	row.Tags, row.Expires = *cmp.Or(c.Tags, &row.Tags), *cmp.Or(c.Expires, &row.Expires)
	if err := checkWords(row.Name, row.Description, row.Tags); err != nil {
		return Secret{}, err
	}
	if c.Value == nil && c.Format == nil && c.Expires == nil {
		return s.seen(row, rows, nil), s.Store.PutSecret(ctx, row)
	}
	held, err := s.item(ctx, was)
	if isLost(err) && c.Value != nil {
		held, err = item{Format: Format(was.Format)}, nil
	}
	if err != nil {
		return Secret{}, notDone(was, "changed", err)
	}
	defer held.wipe()
	next := held
	if c.Value != nil {
		next = held.replace(*c.Value)
	}
	next.Format = *cmp.Or(c.Format, &held.Format)
	fields, err := checkValue(next.Format, next.Value)
	if err != nil {
		return Secret{}, err
	}
	was.Keeping = store.Changing
	if err := s.keep(ctx, was, &row, next); err != nil {
		return Secret{}, err
	}
	one := s.told(row, rows, fields, next.Value)
	switch {
	case next.Format == held.Format:
	case next.Format == FormatJSON:
		one.Warnings = append(one.Warnings, "It is JSON from now on, as it was written: its fields can be referred to.")
	default:
		one.Warnings = append(one.Warnings, "It is text from now on, as it was written: what refers to its fields does not work any more.")
	}
	return one, nil
}

func find(rows []store.Secret, id store.SecretID) (store.Secret, error) {
	i := slices.IndexFunc(rows, func(r store.Secret) bool { return r.SecretID == id })
	switch {
	case i >= 0:
		return rows[i], nil
	case id.Provider != "":
		return store.Secret{}, agent.Errorf(agent.CodeValidation, "There is no key %.80q of %.80s. Add it under Secrets and keys, or with parley keys set.", id.Slug, id.Provider)
	}
	return store.Secret{}, agent.Errorf(agent.CodeValidation, "There is no secret %.80q in this project. Add it under Secrets and keys, or with parley secrets set.", id.Slug)
}

// notDone says what was not done to a secret because of the keyring.
func notDone(row store.Secret, what string, cause error) error {
	known := agent.AsError(cause)
	return agent.Wrap(known.Code, cause, "The secret "+row.Slug+" was not "+what+". "+known.Message)
}

// keep writes the item of a secret. begun is its row for as long as that takes, and row what it is then. Once begun, it is brought
// to its end also if the person who asked has gone.
func (s *Secrets) keep(ctx context.Context, begun store.Secret, row *store.Secret, i item) error {
	ctx = context.WithoutCancel(ctx)
	i.Made = row.Created.UnixMilli()
	if i.Expires = 0; !row.Expires.IsZero() {
		i.Expires = row.Expires.UnixMilli()
	}
	data, err := json.Marshal(i)
	if err != nil {
		return err
	}
	defer Wipe(data)
	if err := s.Store.PutSecret(ctx, begun); err != nil {
		return err
	}
	s.loaded.Store(nil) // who asks from now on waits until the new value is known
	if err := s.Ring.Set(ctx, account(row.SecretID), data); err != nil {
		if undone := s.settle(ctx, begun); undone != nil {
			err = errors.Join(err, undone) // tried again when everything is read next
		}
		return notDone(*row, "stored", err)
	}
	row.Keeping = store.Kept
	describe(row, i)
	return s.Store.PutSecret(ctx, *row)
}

// describe takes into a row what follows from the item.
func describe(row *store.Secret, i item) {
	row.Format, row.Expires, row.Shown = string(i.Format), i.expires(), nil
	if row.Provider != "" {
		row.Shown = lastFour(i.Value)
		return
	}
	fields, _ := checkValue(i.Format, i.Value) // checked before it was stored
	for _, f := range fields {
		row.Shown = append(row.Shown, f.name)
	}
}

// settle brings a row to its end that the keyring was not done with.
func (s *Secrets) settle(ctx context.Context, row store.Secret) error {
	i, err := s.item(ctx, row)
	defer i.wipe()
	if row.Keeping == store.Going {
		if err == nil || errors.Is(err, ErrDamaged) {
			err = s.Ring.Delete(ctx, account(row.SecretID))
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		return s.Store.ForgetSecret(ctx, row.SecretID)
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if err == nil {
		describe(&row, i)
	}
	row.Keeping = store.Kept
	return s.Store.PutSecret(ctx, row)
}

// item reads what the keyring holds of a secret; ErrNotFound also if that is another history's.
func (s *Secrets) item(ctx context.Context, row store.Secret) (item, error) {
	data, err := s.Ring.Get(ctx, account(row.SecretID))
	if err != nil {
		return item{}, err
	}
	defer Wipe(data)
	i, err := readItem(data)
	if err == nil && i.Made != row.Created.UnixMilli() {
		i.wipe()
		return item{}, notFound()
	}
	return i, err
}

// isLost reports whether the keyring can say no more what a value was. Another may be set then.
func isLost(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) }

// Remove forgets a secret, also one whose value is gone already.
func (s *Secrets) Remove(ctx context.Context, id store.SecretID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows, err := s.rows(ctx, id.Provider)
	if err != nil {
		return err
	}
	row, err := find(rows, id)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	going := row
	going.Keeping = store.Going
	if err := s.Store.PutSecret(ctx, going); err != nil {
		return err
	}
	s.loaded.Store(nil)
	if err := s.settle(ctx, going); err != nil {
		return notDone(row, "removed", errors.Join(err, s.Store.PutSecret(ctx, row)))
	}
	return nil
}

// RemoveAll forgets every secret and key, and says which it could not.
func (s *Secrets) RemoveAll(ctx context.Context) error {
	s.mu.Lock()
	unsettled := s.settleAll(ctx)
	s.mu.Unlock()
	rows, err := s.Store.Secrets(ctx)
	err = errors.Join(unsettled, err)
	for _, row := range rows {
		err = errors.Join(err, s.Remove(ctx, row.SecretID))
	}
	return err
}

// Reveal gives the value itself, which is the caller's to wipe.
func (s *Secrets) Reveal(ctx context.Context, id store.SecretID) ([]byte, error) {
	rows, err := s.rows(ctx, id.Provider)
	if err != nil {
		return nil, err
	}
	row, err := find(rows, id)
	if err != nil {
		return nil, err
	}
	i, err := s.item(ctx, row)
	return i.Value, err
}

// Resolve gives what a reference of a project stands for.
func (s *Secrets) Resolve(ctx context.Context, project agent.ProjectID, ref agent.SecretRef) (string, error) {
	row, err := s.Visible(ctx, project, ref.Slug)
	if err != nil {
		return "", err
	}
	i, err := s.item(ctx, row)
	defer i.wipe()
	switch end := i.expires(); {
	case errors.Is(err, ErrNotFound):
		return "", agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The value of the secret %s is not in the keyring any more. Set it again, under Secrets and keys or with parley secrets set.", ref.Slug))
	case err != nil:
		known := agent.AsError(err)
		return "", agent.Wrap(known.Code, err, "The secret "+ref.Slug+" could not be read. "+known.Message)
	case !end.IsZero() && !s.Now().Before(end):
		return "", agent.Errorf(agent.CodeValidation, "The secret %s is not used any more since %s. Give it another end, under Secrets and keys or with parley secrets set.", ref.Slug, day(end))
	case ref.Field == "":
		return string(i.Value), nil
	case i.Format != FormatJSON:
		return "", agent.Errorf(agent.CodeValidation, "The secret %s is text and has no fields, so there is no %s. Refer to {{secret:%[1]s}}, or make it JSON, under Secrets and keys.", ref.Slug, ref)
	}
	fields, err := checkValue(i.Format, i.Value)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(fields, func(f field) bool { return f.name == ref.Field })
	if at < 0 {
		return "", agent.Errorf(agent.CodeValidation, "The secret %s has no field %s. It has: %s. Mend the reference, or the secret under Secrets and keys.", ref.Slug, ref.Field, strings.Join(row.Shown, ", "))
	}
	return fields[at].text, nil
}

// Visible gives the secret that a slug means in a project: its own, or else the one for every project.
func (s *Secrets) Visible(ctx context.Context, project agent.ProjectID, slug string) (store.Secret, error) {
	rows, err := s.rows(ctx, "")
	if err != nil {
		return store.Secret{}, err
	}
	row, err := find(rows, store.SecretID{Project: project, Slug: slug})
	if err != nil {
		return find(rows, store.SecretID{Slug: slug})
	}
	return row, nil
}

// Used notes that a tool of a session uses a secret.
func (s *Secrets) Used(ctx context.Context, key agent.SessionKey, slug, tool string) error {
	row, err := s.Visible(ctx, key.Project, slug)
	if err != nil {
		return err
	}
	return s.Store.UseSecret(ctx, row.SecretID, key, tool)
}
