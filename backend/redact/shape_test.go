package redact

import (
	"slices"
	"strings"
	"testing"
)

// The credentials here are put together from parts, for nobody who looks for credentials in source code to find one.
const (
	random24 = "q7Xk2mP9vT4wZ8bN3cR6yH1d"
	random36 = random24 + "L5sJ0fG7aE2u"
	random48 = random24 + random24
	body     = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ kind, text string }{ // « and » are around what is to be found
		{"a private key", "«-----BEGIN " + "PRIVATE KEY-----\n" + body + "\n" + body + "==\n-----END PRIVATE KEY-----»\nand"},
		{"a private key", "«-----BEGIN " + "RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n" + body + "\n-----END RSA PRIVATE KEY-----»"},
		{"a private key", `{"key":"«-----BEGIN ` + `EC PRIVATE KEY-----\n` + body + `\n-----END EC PRIVATE KEY-----»\n"}`},
		{"a private key", "«-----BEGIN " + "OPENSSH PRIVATE KEY-----\n" + body + "\n" + body[:40] + "»"},
		{"an API key", "OPENAI_API_KEY=«sk-" + random48 + "»"},
		{"an API key", `"«sk-` + `proj-` + random24 + "_x-" + random24 + `»"`},
		{"an API key", "«sk-" + "ant-api03-" + random48 + "»\n"},
		{"a Stripe key", "«sk_" + "live_" + random24 + "»"},
		{"a GitHub token", "https://x/?t=«ghp_" + random36 + "»&y"},
		{"a GitHub token", "«github_pat_" + random24 + "_" + random24 + "»"},
		{"a GitLab token", "(«glpat-" + random24 + "»)"},
		{"an AWS access key", "key: «AKIA" + "Q7XK2MP6VT4WZ3BN», secret"},
		{"a Google API key", "«AIza" + random24 + "_bcdefghij-»,"},
		{"a Slack token", "«xoxb-" + "123456789012-" + random24 + "»"},
		{"a GitHub token", `{"text":"line\n«ghp_` + random36 + `»\n"}`},
		{"an npm token", "//r/:_authToken=«npm_" + random36 + "»"},
		{"a Hugging Face token", "«hf_" + random36 + "»"},
		{"a SendGrid key", "«SG." + random24[:22] + "." + random48[:43] + "»"},
		{"a JSON web token", "cookie=«eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0." + random24 + "»;"},
		{"a bearer token", "Authorization: Bearer «" + random24 + "==»"},
		{"a bearer token", `curl -H "authorization: bearer «eyJ` + random24 + `»"`},
		{"an API key", "Bearer «sk-" + random48 + "»"},
		{"a password", "Basic «" + "dXNlcjpwNHNzdzByZA==»"},
		{"a password", "postgres://bob:«" + "h8nter22»@db/x"},
	} {
		text := strings.NewReplacer("«", "", "»", "").Replace(c.text)
		start := strings.Index(c.text, "«")
		want := []Found{{start, strings.Index(c.text, "»") - len("«"), c.kind}}
		if got := Find(text); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, not %v", c.text, got, want)
		}
		scrubbed := text[:start] + "[credential]" + text[want[0].End:]
		if got := Scrub(text); got != scrubbed {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestFindNothing(t *testing.T) {
	for _, text := range []string{
		"commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"id 123e4567-e89b-12d3-a456-426614174000",
		`"integrity": "sha512-AKIAv2Q+8T0bQo4bdr8bhJxkyBPb5l+kGZ0sm9sk0FnH5WTr0WMnAXqR2kxkR1WQ9z4bO7k4xkQ5J0PjCS3cYw=="`,
		"h1:Kk6eBN1ZXGDJqZgoL4ZrcXNnX3LqYVKHzgTFVsDaIJk=",
		"data:image/png;base64," + strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg", 20),
		"-----BEGIN " + "CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----",
		"-----BEGIN " + "PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----",
		`if strings.Contains(text, "-----BEGIN ` + `PRIVATE KEY-----") { return nil } // and the rest stays`,
		`<div class="sk-fading-circle1 sk-chase-dot-before-the-next">`,
		"risk-assessment-of-2024-and-the-mask-that-was-worn-by-task-42",
		"npm_config_registry npm_package_dependencies_something_long_1",
		"Bearer authentication-is-required and Bearer tokens",
		"Basic understanding of authentication",
		"https://example.com:8080/a@b http://[::1]:3000/x@y",
		"postgres://user:password@localhost, https://u:$PASSWORD1@h, redis://:<password1>@h",
		"ghp_short, sk-short1, AKIASHORT, AIzaShort, xoxb-1, hf_hub_download_with_a_long_name",
		"eyJhbGciOiJIUzI1NiJ9 alone, and a.b.c",
		"[secret:my-key-2] sk-[secret:x]",
	} {
		if got := Find(text); got != nil {
			t.Errorf("%s: found %v", text, got)
		}
		if got := Scrub(text); got != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestScrubJSON(t *testing.T) {
	in := `{"a": "see ghp_` + random36 + `", "b": [1e3,"x"]}`
	if got, want := string(ScrubJSON([]byte(in))), `{"a": "see [credential]", "b": [1e3,"x"]}`; got != want {
		t.Errorf("%s became %s", in, got)
	}
}

// TestNet gives a net texts byte by byte: it says what Scrub says of the whole.
func TestNet(t *testing.T) {
	for _, text := range []string{
		`{"command":"curl -H 'Authorization: Bearer ` + random24 + `' x","env":{"K":"ghp_` + random36 + `"}}`,
		`{"content":"begin\n-----BEGIN ` + `RSA PRIVATE KEY-----\n` + body + `\n-----END RSA PRIVATE KEY-----\nend"}`,
		"only a bearer of words, and -----BEGIN " + "no key at all",
	} {
		var n Net
		var out strings.Builder
		for i := range len(text) {
			out.WriteString(n.Write(text[i : i+1]))
		}
		out.WriteString(n.Flush())
		if out.String() != Scrub(text) {
			t.Errorf("%s became %s, not %s", text, out.String(), Scrub(text))
		}
	}
	var n Net
	if got := n.Write("some words "); got != "some words " {
		t.Errorf("%q is shown of words that are over", got)
	}
}
