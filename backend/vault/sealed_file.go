package vault

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"parley/backend/agent"
)

// SealedFile is the Keyring of a machine without a keychain: one file under a passphrase. One process has it open at a
// time. In memory are the key and, during a call, the values.
type SealedFile struct {
	path string
	lock *os.File

	mu   sync.Mutex
	head []byte // the lines above the sealed one
	key  []byte // nil once closed
}

// The file is text: a line that names the format, one that says how the passphrase is hardened, the key's check, and
// the sealed values in base64. The lines above bind the last.
const (
	sealedFormat  = "parley-sealed"
	sealedVersion = "1"
	maxSealedFile = 256 << 20
)

var encoding = base64.RawStdEncoding.Strict()

// OpenSealedFile opens the file at path, or makes it at the given cost if there is none. The passphrase remains the
// caller's to wipe. Close it.
func OpenSealedFile(ctx context.Context, path string, passphrase []byte, cost Cost) (*SealedFile, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, sealedFailure("The sealed key file could not be opened. Check its folder, then retry.", err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, sealedFailure("The sealed key file could not be opened. Check its folder, then retry.", err)
	}
	free, err := tryLock(lock)
	if err == nil && !free {
		err = errors.New("another process has the lock")
	}
	if err != nil {
		lock.Close()
		return nil, sealedFailure("Another Parley has the sealed key file open. Close it, then retry.", err)
	}
	s := &SealedFile{path: path, lock: lock}
	if err := s.unlock(passphrase, cost); err != nil {
		lock.Close()
		return nil, err
	}
	return s, nil
}

func (s *SealedFile) unlock(passphrase []byte, cost Cost) error {
	data, err := readBounded(s.path, maxSealedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s.rekey(passphrase, cost, map[string][]byte{})
	}
	if err != nil {
		return sealedFailure("The sealed key file could not be read. Check that it is yours, then retry.", err)
	}
	file, err := parseSealed(data)
	if err != nil {
		return err
	}
	key := file.hardening.key(passphrase)
	if !equal(check(key), file.check) {
		return agent.Wrap(agent.CodeValidation, ErrWrongSecret, "This is not the passphrase of the sealed key file. Type it again.")
	}
	s.head, s.key = file.head, key
	_, err = s.read()
	return err
}

// Close forgets the key and lets another process open the file. It may be called twice.
func (s *SealedFile) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key == nil {
		return nil
	}
	Wipe(s.key)
	s.key = nil
	return s.lock.Close()
}

// Kind names this keyring in a KeyFile.
func (s *SealedFile) Kind(context.Context) string { return "sealed-file" }

// Get gives the value of account.
func (s *SealedFile) Get(ctx context.Context, account string) ([]byte, error) {
	var value []byte
	err := s.with(ctx, func(values map[string][]byte) (bool, error) {
		stored, ok := values[account]
		if !ok {
			return false, notFound()
		}
		value = bytes.Clone(stored)
		return false, nil
	})
	return value, err
}

// Set stores value under account.
func (s *SealedFile) Set(ctx context.Context, account string, value []byte) error {
	if err := checkLength(value); err != nil {
		return err
	}
	return s.with(ctx, func(values map[string][]byte) (bool, error) {
		values[account] = bytes.Clone(value)
		return true, nil
	})
}

// Delete forgets account.
func (s *SealedFile) Delete(ctx context.Context, account string) error {
	return s.with(ctx, func(values map[string][]byte) (bool, error) {
		if _, ok := values[account]; !ok {
			return false, notFound()
		}
		delete(values, account)
		return true, nil
	})
}

// ChangePassphrase seals the file anew. The old passphrase opens it until this returns nil.
func (s *SealedFile) ChangePassphrase(ctx context.Context, passphrase []byte, cost Cost) error {
	return s.with(ctx, func(values map[string][]byte) (bool, error) {
		return false, s.rekey(passphrase, cost, values)
	})
}

// with lets visit see the values, and stores them if it changed any.
func (s *SealedFile) with(ctx context.Context, visit func(values map[string][]byte) (changed bool, err error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	if s.key == nil {
		return agent.Wrap(agent.CodeInternal, ErrLocked, "The sealed key file is locked. Type its passphrase, then retry.")
	}
	values, err := s.read()
	if err != nil {
		return err
	}
	defer func() {
		for _, v := range values {
			Wipe(v)
		}
	}()
	changed, err := visit(values)
	if err != nil || !changed {
		return err
	}
	return s.write(s.head, s.key, values)
}

// rekey writes values under another passphrase, and takes its key once they are written.
func (s *SealedFile) rekey(passphrase []byte, cost Cost, values map[string][]byte) error {
	if len(passphrase) == 0 {
		return agent.Errorf(agent.CodeValidation, "An empty passphrase protects nothing. Choose another one.")
	}
	h := harden(cost)
	key := h.key(passphrase)
	head := fmt.Appendf(nil, "%s %s\n%s\n%x\n", sealedFormat, sealedVersion, h, check(key))
	if err := s.write(head, key, values); err != nil {
		return err
	}
	Wipe(s.key)
	s.head, s.key = head, key
	return nil
}

func (s *SealedFile) read() (map[string][]byte, error) {
	data, err := readBounded(s.path, maxSealedFile)
	if err != nil {
		return nil, sealedFailure("The sealed key file could not be read. Check that it is still there, then retry.", err)
	}
	body, ok := bytes.CutPrefix(data, s.head)
	if !ok {
		return nil, sealedDamage(errors.New("its head has changed"))
	}
	sealed, err := decodeLine(body)
	if err != nil {
		return nil, sealedDamage(err)
	}
	plain, err := unseal(s.key, s.head, sealed)
	if err != nil {
		return nil, sealedDamage(err)
	}
	defer Wipe(plain)
	var values map[string][]byte
	if err := json.Unmarshal(plain, &values); err != nil || values == nil {
		return nil, sealedDamage(errors.Join(errors.New("its content is no object"), err))
	}
	return values, nil
}

func (s *SealedFile) write(head, key []byte, values map[string][]byte) error {
	plain, err := json.Marshal(values)
	if err != nil {
		return err
	}
	defer Wipe(plain)
	file := append(encoding.AppendEncode(bytes.Clone(head), seal(key, head, plain)), '\n')
	if len(file) > maxSealedFile {
		return agent.Wrap(agent.CodeValidation, ErrTooLong, "The sealed key file is full. Delete secrets that are not needed, then retry.")
	}
	if err := replace(s.path, file); err != nil {
		return sealedFailure("The sealed key file could not be written; the old one is still there. Check the disk, then retry.", err)
	}
	return nil
}

// sealedFile is what can be read without the passphrase.
type sealedFile struct {
	head      []byte
	hardening hardening
	check     []byte
}

func parseSealed(data []byte) (sealedFile, error) {
	lines := bytes.SplitAfterN(data, []byte("\n"), 4)
	version, ours := strings.CutPrefix(string(bytes.TrimSuffix(lines[0], []byte("\n"))), sealedFormat+" ")
	switch {
	case !ours || len(lines) != 4:
		return sealedFile{}, sealedDamage(errors.New("it is no sealed file, or cut short"))
	case version != sealedVersion:
		return sealedFile{}, agent.Wrap(agent.CodeValidation, ErrNewer, "The sealed key file was written by a newer Parley. Install the newer version; nothing was changed.")
	}
	h, err := parseHardening(strings.TrimSuffix(string(lines[1]), "\n"))
	if err != nil {
		return sealedFile{}, sealedDamage(err)
	}
	sum, err := hex.DecodeString(strings.TrimSuffix(string(lines[2]), "\n"))
	if err != nil || len(sum) != checkSize {
		return sealedFile{}, sealedDamage(errors.New("its check is no check"))
	}
	if _, err := decodeLine(lines[3]); err != nil {
		return sealedFile{}, sealedDamage(err)
	}
	return sealedFile{data[:len(data)-len(lines[3])], h, sum}, nil
}

// decodeLine reads base64 up to the newline that ends the file.
func decodeLine(line []byte) ([]byte, error) {
	text, ended := bytes.CutSuffix(line, []byte("\n"))
	if !ended || bytes.ContainsAny(text, "\r\n") {
		return nil, errors.New("cut short, or more than one line")
	}
	return encoding.AppendDecode(nil, text)
}

func sealedDamage(cause error) error {
	return agent.Wrap(agent.CodeValidation, errors.Join(ErrDamaged, cause), "The sealed key file is damaged; it was not changed. Put back a copy of it, or move it away and enter the keys again.")
}

func sealedFailure(message string, cause error) error {
	return agent.Wrap(agent.CodeInternal, &absence{Failed, cause}, message)
}

// EnvPassphraseFile names a file that holds the passphrase, for machines that nobody sits at.
const EnvPassphraseFile = "PARLEY_PASSPHRASE_FILE"

// UnattendedPassphrase reads the file that EnvPassphraseFile names: its first line, without the end of it. It gives nil
// if the variable is not set.
func UnattendedPassphrase() ([]byte, error) {
	path := os.Getenv(EnvPassphraseFile)
	if path == "" {
		return nil, nil
	}
	data, err := readBounded(path, 4096)
	if err != nil {
		return nil, agent.Wrap(agent.CodeValidation, err, "The passphrase could not be read from the file that "+EnvPassphraseFile+" names. Check the variable and the file, then start again.")
	}
	line, _, _ := bytes.Cut(data, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) == 0 {
		return nil, agent.Errorf(agent.CodeValidation, "The file that %s names has no passphrase in its first line. Write one there, then start again.", EnvPassphraseFile)
	}
	return line, nil
}
