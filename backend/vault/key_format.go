package vault

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A key file is text, a line for each thing, so that damage to one leaves the others:
//
//	parley-keys 1 <vault>
//	history <cipher> <salt> <generation> <commits>
//	key <check of the data key>
//	slot <type> <id> <parameters> <check of the slot's key> <the data key, sealed>
//	next <check> <the next data key under this one> <this one under the next>
//	slot …
//	mac <mac> <checksum>
//
// Slots below next hold the next data key. The mac is made with the data key, over everything above it; the checksum
// tells damage before there is a key. There is one way to write what a file says; any other is damage.
const (
	keyFormat  = "parley-keys"
	keyVersion = "1"
	maxKeyFile = 64 << 10
	idSize     = 16
)

// document is what a key file says.
type document struct {
	vault   string
	history history
	current edition
	next    *rotation
}

type history struct {
	cipher Cipher
	salt   [SaltSize]byte
	anchor Anchor
}

// edition is a data key, sealed in every slot.
type edition struct {
	check []byte
	slots []slot
}

// rotation is the data key that will take over. Whoever has one of the two keys has both.
type rotation struct {
	edition
	up, down []byte // the next key under the current one, and the current one under the next
}

type slot struct {
	kind   SlotType
	id     string
	params string // keychain: which one; passphrase: hardening; recovery: "-"
	check  []byte
	sealed []byte
}

func newSlot(vault string, kind SlotType, id, params string, kek, key []byte) slot {
	s := slot{kind: kind, id: id, params: params, check: check(kek)}
	s.sealed = seal(kek, s.aad(vault), key)
	return s
}

func (s slot) aad(vault string) []byte {
	return fmt.Appendf(nil, "parley slot 1|%s|%s|%s|%s", vault, s.id, s.kind, s.params)
}

// open gives the data key: ErrWrongSecret if kek is not this slot's, ErrDamaged if it is and the slot does not open.
func (s slot) open(vault string, kek []byte) ([]byte, error) {
	if !equal(check(kek), s.check) {
		return nil, ErrWrongSecret
	}
	key, err := unseal(kek, s.aad(vault), s.sealed)
	if err != nil || len(key) != keySize {
		return nil, errors.Join(ErrDamaged, err)
	}
	return key, nil
}

func (s slot) line() string {
	return fmt.Sprintf("slot %s %s %s %x %s\n", s.kind, s.id, s.params, s.check, encoding.EncodeToString(s.sealed))
}

// body is the file without its mac.
func (d document) body() []byte {
	var b bytes.Buffer
	h := d.history
	fmt.Fprintf(&b, "%s %s %s\n", keyFormat, keyVersion, d.vault)
	fmt.Fprintf(&b, "history %d %x %d %d\n", h.cipher, h.salt, h.anchor.Generation, h.anchor.Commits)
	fmt.Fprintf(&b, "key %x\n", d.current.check)
	for _, s := range d.current.slots {
		b.WriteString(s.line())
	}
	if d.next != nil {
		fmt.Fprintf(&b, "next %x %s %s\n", d.next.check, encoding.EncodeToString(d.next.up), encoding.EncodeToString(d.next.down))
		for _, s := range d.next.slots {
			b.WriteString(s.line())
		}
	}
	return b.Bytes()
}

// encode writes the file; key is the current data key.
func (d document) encode(key []byte) []byte {
	body := d.body()
	return closeFile(body, mac(key, body))
}

// closeFile gives body with its last line.
func closeFile(body, mac []byte) []byte {
	file := fmt.Appendf(slices.Clip(body), "mac %x", mac)
	checksum := sha256.Sum256(file)
	return fmt.Appendf(file, " %x\n", checksum[:8])
}

func mac(key, body []byte) []byte {
	h := hmac.New(sha256.New, subkey(key, "key file mac"))
	h.Write(body)
	return h.Sum(nil)
}

// parse reads a key file. With ErrDamaged it gives what survives, which without a first line is nothing; with ErrNewer
// nothing. That the mac is right is for whoever has the key to check: it is sum, over body.
func parse(file []byte) (d document, body, sum []byte, err error) {
	first, rest, _ := strings.Cut(string(file), "\n")
	words := strings.Split(first, " ")
	if words[0] != keyFormat || len(words) < 3 || len(file) > maxKeyFile {
		return d, nil, nil, fmt.Errorf("%w: its first line is not that of a key file", ErrDamaged)
	}
	if n, err := strconv.ParseUint(words[1], 10, 16); err != nil || n < 1 {
		return d, nil, nil, fmt.Errorf("%w: it has no version", ErrDamaged)
	} else if words[1] != keyVersion {
		return d, nil, nil, ErrNewer
	}
	d.vault = words[2]
	var failed []error
	if !isHex(d.vault, idSize) {
		return document{}, nil, nil, fmt.Errorf("%w: it names no vault", ErrDamaged)
	}
	for number, line := range slices.Collect(strings.Lines(rest)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if words[0] == "mac" && len(words) == 3 {
			sum, err = hex.DecodeString(words[1])
		} else {
			err = d.read(words)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("line %d: %w", number+2, err))
		}
	}
	body = d.body()
	if failed == nil && string(file) != string(closeFile(body, sum)) {
		failed = append(failed, errors.New("it is cut short, or not as Parley writes it"))
	}
	if failed != nil {
		return d, body, sum, fmt.Errorf("%w: %w", ErrDamaged, errors.Join(failed...))
	}
	return d, body, sum, nil
}

// read takes in one line.
func (d *document) read(words []string) error {
	switch {
	case words[0] == "history" && len(words) == 5:
		return d.history.read(words[1:])
	case words[0] == "key" && len(words) == 2 && isHex(words[1], checkSize):
		d.current.check = unhex(words[1])
	case words[0] == "next" && len(words) == 4 && isHex(words[1], checkSize):
		up, err1 := encoding.DecodeString(words[2])
		down, err2 := encoding.DecodeString(words[3])
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		d.next = &rotation{edition{check: unhex(words[1])}, up, down}
	case words[0] == "slot" && len(words) == 6:
		s, err := readSlot(words[1:])
		if err != nil {
			return err
		}
		e := &d.current
		if d.next != nil {
			e = &d.next.edition
		}
		e.slots = append(e.slots, s)
	default:
		return fmt.Errorf("unknown line %.20q", words[0])
	}
	return nil
}

func (h *history) read(words []string) error {
	cipher, err1 := strconv.ParseUint(words[0], 10, 8)
	generation, err2 := strconv.ParseUint(words[2], 10, 64)
	commits, err3 := strconv.ParseUint(words[3], 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	if !isHex(words[1], SaltSize) {
		return errors.New("bad salt")
	}
	*h = history{Cipher(cipher), [SaltSize]byte(unhex(words[1])), Anchor{generation, commits}}
	return nil
}

func readSlot(words []string) (slot, error) {
	s := slot{kind: SlotType(words[0]), id: words[1], params: words[2]}
	switch s.kind {
	case SlotKeychain:
		if s.params == "" || kindWord(s.params) != s.params {
			return slot{}, errors.New("bad name of a keychain")
		}
	case SlotRecovery:
		if s.params != "-" {
			return slot{}, errors.New("a recovery slot has no parameters")
		}
	case SlotPassphrase:
		if _, err := parseHardening(s.params); err != nil {
			return slot{}, err
		}
	default:
		return slot{}, fmt.Errorf("unknown type of slot %.20q", words[0])
	}
	if !isHex(s.id, idSize) || !isHex(words[3], checkSize) {
		return slot{}, errors.New("bad slot id or check")
	}
	var err error
	s.check = unhex(words[3])
	s.sealed, err = encoding.DecodeString(words[4])
	return s, err
}

func isHex(word string, size int) bool {
	b, err := hex.DecodeString(word)
	return err == nil && len(b) == size
}

// unhex decodes what isHex has seen.
func unhex(word string) []byte {
	b, _ := hex.DecodeString(word)
	return b
}
