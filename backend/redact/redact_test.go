package redact

import "testing"

func TestText(t *testing.T) {
	k := New([]Value{{"a", "hunter22"}})
	if got := k.Text("it is hunter22."); got != "it is [secret:a]." {
		t.Error(got)
	}
}
