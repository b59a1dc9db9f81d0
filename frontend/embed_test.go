package frontend

import (
	"bytes"
	"io/fs"
	"testing"
)

func TestThereIsAlwaysAPage(t *testing.T) {
	b, err := fs.ReadFile(Page(), "index.html")
	if err != nil || !bytes.Contains(b, []byte("<title>Parley")) {
		t.Errorf("index.html holds %q (%v)", b, err)
	}
}
