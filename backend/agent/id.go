package agent

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// ProjectID names a folder that sessions belong to, or DefaultProject.
type ProjectID string

// DefaultProject holds the sessions that were started outside any folder.
const DefaultProject ProjectID = "default"

// SessionID names a session within its project. It is opaque and may come from outside: see Validate.
type SessionID string

// TurnID names one turn. It is ours, and unique everywhere.
type TurnID string

// MessageID names one message within its session. A client's own id for a user message is kept.
type MessageID string

// SessionKey identifies a session: ids are unique within a project only, so nothing is ever looked up by id alone.
type SessionKey struct {
	Project ProjectID
	Session SessionID
}

// Folder is the session's own below one for all of them. Two sessions never share one: ids that differ only in what a file
// name cannot say are told apart by a digest.
func (k SessionKey) Folder() string {
	name := k.Session.FileName()
	if name != string(k.Session) {
		name += fmt.Sprintf("-%x", sha256.Sum256([]byte(k.Session)))[:17]
	}
	return filepath.Join(k.Project.FileName(), name)
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// Validate refuses every id that a URL, a file name or a log line could misread.
func (id SessionID) Validate() error {
	if !idPattern.MatchString(string(id)) || id == "." || id == ".." {
		return Errorf(CodeValidation, "session_id must match %s and be neither . nor ..", idPattern)
	}
	return nil
}

// FileName is the id as a single path element that every platform accepts.
func (id SessionID) FileName() string { return fileName(string(id)) }

// ProjectAt is the project of a folder, by its absolute path without symbolic links: the folder's name, to be recognized by,
// and a digest that tells it from others of that name.
func ProjectAt(path string) ProjectID {
	name := strings.Trim(fileName(strings.ToLower(filepath.Base(path))), "-.")
	if len(name) > 64 {
		name = name[:64]
	}
	return ProjectID(fmt.Sprintf("%s-%x", name, sha256.Sum256([]byte(path)))[:len(name)+1+12])
}

// Validate refuses what no project is called.
func (id ProjectID) Validate() error {
	if !idPattern.MatchString(string(id)) || id == "." || id == ".." {
		return Errorf(CodeValidation, "A project's name must match %s and be neither . nor ..", idPattern)
	}
	return nil
}

// FileName is the id as a single path element that every platform accepts.
func (id ProjectID) FileName() string { return fileName(string(id)) }

func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return '-'
	}, id)
}

// NewSessionID mints an id for a session that the client did not name.
func NewSessionID() SessionID { return SessionID("sess_" + randomHex(16)) }

// NewTurnID mints the id of a turn.
func NewTurnID() TurnID { return TurnID("turn_" + randomHex(16)) }

// NewMessageID mints the id of a message.
func NewMessageID() MessageID { return MessageID("msg_" + randomHex(16)) }

// NewTrace mints the trace of a turn.
func NewTrace() Trace { return Trace{ID: randomHex(16), Span: randomHex(8)} }

// Edit gives the id of the n-th text that was sent under the message id: what was sent before stays under its own. It begins
// with 2, because the first is the id itself.
func (id MessageID) Edit(n int) MessageID { return id + MessageID(editMark+strconv.Itoa(n)) }

// Shown is the id under which a client sent the message, and by which it knows it.
func (id MessageID) Shown() MessageID {
	shown, _, _ := strings.Cut(string(id), editMark)
	return MessageID(shown)
}

// Edition is the n of Edit, and 1 for an id that is no edit's.
func (id MessageID) Edition() int {
	_, n, _ := strings.Cut(string(id), editMark)
	if number, err := strconv.Atoi(n); err == nil {
		return number
	}
	return 1
}

// editMark is in no id that a client may give.
const editMark = "~"

// Validate refuses what a client may not call a message.
func (id MessageID) Validate() error {
	if id == "" || len(id) > 128 || strings.Contains(string(id), editMark) {
		return Errorf(CodeValidation, "A message id has 1 to 128 bytes, and no %s.", editMark)
	}
	return nil
}

func randomHex(n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
