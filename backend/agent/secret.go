package agent

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// SecretRef refers to a named secret, or to one field of it. It is written {{secret:slug}} or {{secret:slug.field}}.
type SecretRef struct{ Slug, Field string }

// String is what of the reference tells it from others: slug, or slug.field.
func (r SecretRef) String() string {
	if r.Field == "" {
		return r.Slug
	}
	return r.Slug + "." + r.Field
}

// Key is what the value goes by in Prompt.Secrets, beside the keys of providers.
func (r SecretRef) Key() string { return "secret:" + r.String() }

var (
	secretOpening = regexp.MustCompile(`\{\{\s*secret\s*:`)
	secretRef     = regexp.MustCompile(`\{\{\s*secret\s*:\s*([a-z0-9]+(?:-[a-z0-9]+)*)(?:\.([A-Za-z0-9_-]{1,128}))?\s*\}\}`)
)

// SecretRefs lists what a text refers to, each once. What begins like a reference and is none is an error.
func SecretRefs(text string) ([]SecretRef, error) {
	found := secretRef.FindAllStringSubmatch(text, -1)
	if len(secretOpening.FindAllStringIndex(text, -1)) != len(found) {
		return nil, Errorf(CodeValidation, "A reference to a secret is written {{secret:slug}} or {{secret:slug.field}}, with a slug of small letters, digits and single dashes. Mend the one that is not.")
	}
	var refs []SecretRef
	for _, f := range found {
		if r := (SecretRef{f[1], f[2]}); !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return refs, nil
}

// FillSecrets puts values where a text refers to them.
func FillSecrets(text string, value func(SecretRef) (string, error)) (string, error) {
	if _, err := SecretRefs(text); err != nil {
		return "", err
	}
	var failed error
	filled := secretRef.ReplaceAllStringFunc(text, func(found string) string {
		f := secretRef.FindStringSubmatch(found)
		v, err := value(SecretRef{f[1], f[2]})
		if failed == nil {
			failed = err
		}
		return v
	})
	if failed != nil {
		return "", failed
	}
	return filled, nil
}

// runCommand is the tool whose commands are given the variables of CommandEnv.
const runCommand = "run_command"

// CheckSecrets refuses references to secrets where none is filled in, and what commands may not be given. Instructions with
// inputs are checked again once they are filled in.
func (s Spec) CheckSecrets() error {
	if secretOpening.MatchString(s.SystemPrompt) {
		return Errorf(CodeValidation, "The instructions of the agent %q refer to a secret, which no model is told. Take {{secret:…}} out of them, and give the secret to a tool instead.", s.ID)
	}
	if len(s.CommandEnv) > 0 && !slices.Contains(s.Tools, runCommand) {
		return Errorf(CodeValidation, "The agent %q has a command_env, and may not run commands. Give it the tool run_command, or take command_env out.", s.ID)
	}
	for name, text := range s.CommandEnv {
		refs, err := SecretRefs(text)
		switch {
		case !variableName.MatchString(name) || reservedVariable.MatchString(name):
			return Errorf(CodeValidation, "The agent %q sets the variable %.50q in its command_env, which commands may not be given.", s.ID, name)
		case err != nil || len(refs) == 0 || strings.ContainsAny(text, "\x00\r\n"):
			return Errorf(CodeValidation, "The agent %q has %s in its command_env, which has to be one line that refers to a secret, as {{secret:slug}}.", s.ID, name)
		}
	}
	return nil
}

// SecretRefsIn lists what the values of lists refer to, each once and in a stable order. What is no reference there has been
// refused before.
func SecretRefsIn(lists ...map[string]string) []SecretRef {
	var all strings.Builder
	for _, list := range lists {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			all.WriteString(list[name] + "\n")
		}
	}
	refs, _ := SecretRefs(all.String())
	return refs
}

// Filled is l with the values that Prompt.Secrets holds where it refers to secrets; what is hosted stays as it is. Unlike any
// other Launch it is neither kept nor logged.
func (l Launch) Filled(secrets map[string]string) (Launch, error) {
	fill := func(list map[string]string) (map[string]string, error) {
		if len(SecretRefsIn(list)) == 0 {
			return list, nil
		}
		filled := map[string]string{}
		for name, text := range list {
			value, err := FillSecrets(text, func(r SecretRef) (string, error) {
				v, given := secrets[r.Key()]
				if !given {
					return "", Errorf(CodeValidation, "The secret %s was not given to what needs it, so that was not started.", r)
				}
				return v, nil
			})
			if err != nil {
				return nil, err
			}
			filled[name] = value
		}
		return filled, nil
	}
	var err error
	if l.CommandEnv, err = fill(l.CommandEnv); err != nil {
		return l, err
	}
	if l.Search != nil {
		search := *l.Search
		if search.Headers, err = fill(search.Headers); err != nil {
			return l, err
		}
		l.Search = &search
	}
	l.AuthorTools = slices.Clone(l.AuthorTools)
	for i, t := range l.AuthorTools {
		if slices.ContainsFunc(l.Hosted, func(h HostedTool) bool { return h.Name == t.Name }) {
			continue
		}
		if l.AuthorTools[i].Secrets, err = fill(t.Secrets); err != nil {
			return l, err
		}
	}
	l.Servers = slices.Clone(l.Servers)
	for i := range l.Servers {
		if l.Servers[i].Env, err = fill(l.Servers[i].Env); err != nil {
			return l, err
		}
		if l.Servers[i].Headers, err = fill(l.Servers[i].Headers); err != nil {
			return l, err
		}
	}
	return l, nil
}
