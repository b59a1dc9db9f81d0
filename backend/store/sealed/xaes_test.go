package sealed

import (
	"bytes"
	"crypto/sha3"
	"encoding/hex"
	"testing"
)

// TestXAES holds the two vectors of the specification, and its accumulated ones.
func TestXAES(t *testing.T) {
	for _, v := range []struct{ key, aad, want string }{
		{"01", "", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"},
		{"03", "c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"},
	} {
		key, _ := hex.DecodeString(v.key)
		a, err := newXAES(bytes.Repeat(key, 32))
		must(t, err)
		nonce := []byte("ABCDEFGHIJKLMNOPQRSTUVWX")
		sealed := a.Seal(nil, nonce, []byte("XAES-256-GCM"), []byte(v.aad))
		if got := hex.EncodeToString(sealed); got != v.want {
			t.Errorf("got %s, want %s", got, v.want)
		}
		if plain, err := a.Open(nil, nonce, sealed, []byte(v.aad)); err != nil || string(plain) != "XAES-256-GCM" {
			t.Errorf("opened as %q, %v", plain, err)
		}
		sealed[3] ^= 1
		if _, err := a.Open(nil, nonce, sealed, []byte(v.aad)); err == nil {
			t.Error("a changed box opens")
		}
	}
	n := 10_000
	if *long {
		n = 1_000_000
	}
	accumulated(t, n)
}

func accumulated(t *testing.T, n int) {
	want := map[int]string{
		10_000:    "e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939",
		1_000_000: "2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15",
	}[n]
	in, out := sha3.NewSHAKE128(), sha3.NewSHAKE128()
	for range n {
		key, nonce := make([]byte, 32), make([]byte, nonceSize)
		in.Read(key)
		in.Read(nonce)
		var size [1]byte
		in.Read(size[:])
		plain := make([]byte, size[0])
		in.Read(plain)
		in.Read(size[:])
		aad := make([]byte, size[0])
		in.Read(aad)
		a, err := newXAES(key)
		must(t, err)
		sealed := a.Seal(nil, nonce, plain, aad)
		out.Write(sealed)
		if back, err := a.Open(nil, nonce, sealed, aad); err != nil || !bytes.Equal(back, plain) {
			t.Fatal("what was sealed does not open")
		}
	}
	sum := make([]byte, 32)
	out.Read(sum)
	if got := hex.EncodeToString(sum); got != want {
		t.Errorf("accumulated: %s, want %s", got, want)
	}
}
