package sealed

import (
	"bytes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/sys/cpu"
)

// The sizes of the format; testdata/format.md says what stands where and why.
const (
	pageSize  = 8192
	tagSize   = 16
	nonceSize = 24
	overhead  = tagSize + nonceSize
	reserve   = overhead // what SQLite leaves free at the end of each page

	sector    = 512  // what a disk writes whole
	block     = 4096 // what a file system writes whole
	prologue  = 3 * block
	headClear = 64
	headSize  = headClear + overhead
	markPlain = 6 * 8
	markSize  = markPlain + overhead

	version = 1
)

const magic = "Parley history\x00\x00"

// Cipher is what seals a file. It is written in the file's header.
type Cipher uint32

const (
	XAES256GCM        Cipher = 1
	XChaCha20Poly1305 Cipher = 2
)

// Fastest is the cipher for a new file on this machine. Without instructions for it, AES in software is slow.
func Fastest() Cipher {
	if cpu.X86.HasAES && cpu.X86.HasPCLMULQDQ || cpu.ARM64.HasAES && cpu.ARM64.HasPMULL {
		return XAES256GCM
	}
	return XChaCha20Poly1305
}

// Header is the clear start of a file: format, cipher and salt. It is no secret. A copy kept elsewhere lets Salvage
// read a file whose own is damaged.
type Header [headClear]byte

// Salt is the part of a Header that is in no other file.
type Salt [32]byte

// NewHeader gives the header of this version's format that has this cipher and salt.
func NewHeader(c Cipher, salt Salt) Header {
	var h Header
	copy(h[:], magic)
	binary.BigEndian.PutUint32(h[16:], version)
	binary.BigEndian.PutUint32(h[20:], uint32(c))
	copy(h[32:], salt[:])
	return h
}

func newHeader(c Cipher) Header {
	var salt Salt
	rand.Read(salt[:])
	return NewHeader(c, salt)
}

// Salt gives the salt.
func (h Header) Salt() Salt { return Salt(h[32:]) }

// Cipher gives the cipher.
func (h Header) Cipher() Cipher { return Cipher(binary.BigEndian.Uint32(h[20:])) }

func (h *Header) check() error {
	if !bytes.HasPrefix(h[:], []byte(magic)) {
		return ErrNotSealed
	}
	if binary.BigEndian.Uint32(h[16:]) > version {
		return ErrNewerFormat
	}
	return nil
}

// box seals and opens records under one sub-key: the ciphertext, its tag, and the random nonce that it was sealed with.
type box struct{ aead cipher.AEAD }

// seal writes len(plain)+overhead bytes to dst, which may begin where plain does.
func (b box) seal(dst, plain, bound []byte) {
	n := len(plain)
	nonce := dst[n+tagSize : n+overhead]
	rand.Read(nonce)
	b.aead.Seal(dst[:0], nonce, plain, bound)
}

// open writes len(sealed)-overhead bytes to dst, which may begin where sealed does. It reports whether the record is
// authentic; if not, dst holds nothing of use.
func (b box) open(dst, sealed, bound []byte) bool {
	n := len(sealed) - overhead
	_, err := b.aead.Open(dst[:0], sealed[n+tagSize:], sealed[:n+tagSize], bound)
	return err == nil
}

// keys are the sub-keys of one file: another salt gives others, so nothing can be moved from file to file.
type keys struct{ head, page, log box }

func deriveKeys(key *Key, h *Header) (*keys, error) {
	prk, err := hkdf.Extract(sha256.New, key[:], h[:])
	if err != nil {
		return nil, err
	}
	defer clear(prk)
	var k keys
	for purpose, b := range map[string]*box{"head": &k.head, "page": &k.page, "log": &k.log} {
		sub, err := hkdf.Expand(sha256.New, prk, "parley history "+purpose, 32)
		if err != nil {
			return nil, err
		}
		switch c := h.Cipher(); c {
		case XAES256GCM:
			b.aead, err = newXAES(sub)
		case XChaCha20Poly1305:
			b.aead, err = chacha20poly1305.NewX(sub)
		default:
			err = fmt.Errorf("%w: cipher %d is not known", ErrWrongKeyOrDamaged, c)
		}
		clear(sub)
		if err != nil {
			return nil, err
		}
	}
	return &k, nil
}

// mark is the sealed counter of commits: how much there must be. Two are kept in turns, each in a sector of its own, so
// that a power cut leaves one whole.
type mark struct {
	seq        uint64 // grows with each mark; the higher one counts
	generation uint64 // of the log when this was written
	commits    uint64 // written, to the log at least
	durable    uint64 // of these, known to be on the disk
	settled    uint64 // of these, known to be in the pages themselves
	pages      uint64 // in the file when it was settled
}

func (m *mark) fields() [6]*uint64 {
	return [...]*uint64{&m.seq, &m.generation, &m.commits, &m.durable, &m.settled, &m.pages}
}

// place is where m stands in the prologue.
func (m *mark) place() int64 { return int64(1+m.seq%2) * block }

func (m *mark) seal(k *keys) []byte {
	b := make([]byte, markSize)
	for i, f := range m.fields() {
		binary.BigEndian.PutUint64(b[8*i:], *f)
	}
	k.head.seal(b, b[:markPlain], []byte{'m', byte(m.seq % 2)})
	return b
}

// openMark reads the mark at one of the two places, 0 or 1.
func openMark(k *keys, sealed []byte, place byte) (m mark, ok bool) {
	var b [markPlain]byte
	if !k.head.open(b[:], sealed, []byte{'m', place}) {
		return m, false
	}
	for i, f := range m.fields() {
		*f = binary.BigEndian.Uint64(b[8*i:])
	}
	return m, m.seq%2 == uint64(place)
}

// newPrologue is everything before the first page.
func newPrologue(k *keys, h *Header, m mark) []byte {
	b := make([]byte, prologue)
	copy(b, h[:])
	k.head.seal(b[headClear:], nil, append([]byte{'h'}, h[:]...))
	for range 2 {
		copy(b[m.place():], m.seal(k))
		m.seq++
	}
	return b
}

// openHeader is the key check: it tells a wrong key, and what is not ours, before anything else is read.
func openHeader(b []byte, key *Key) (*Header, *keys, error) {
	if len(b) < headSize {
		return nil, nil, ErrNotSealed
	}
	h := Header(b)
	if err := h.check(); err != nil {
		return nil, nil, err
	}
	k, err := deriveKeys(key, &h)
	if err != nil {
		return nil, nil, err
	}
	if !k.head.open(nil, b[headClear:headSize], append([]byte{'h'}, h[:]...)) {
		return nil, nil, ErrWrongKeyOrDamaged
	}
	return &h, k, nil
}

// openMarks gives the newest mark. Both must be authentic, and everything between them as it was made.
func openMarks(k *keys, b []byte) (mark, error) {
	if len(b) < prologue {
		return mark{}, damage("the file ends inside its header")
	}
	for _, gap := range [][]byte{b[headSize:block], b[block+markSize : 2*block], b[2*block+markSize : prologue]} {
		if len(bytes.Trim(gap, "\x00")) > 0 {
			return mark{}, damage("the header holds what nobody wrote")
		}
	}
	even, ok0 := openMark(k, b[block:block+markSize], 0)
	odd, ok1 := openMark(k, b[2*block:2*block+markSize], 1)
	if !ok0 || !ok1 {
		return mark{}, damage("the counter of commits is damaged")
	}
	if odd.seq > even.seq {
		return odd, nil
	}
	return even, nil
}

func pageBound(number uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{'p'}, number)
}

// sealPage seals one page of SQLite's: its reserved end, which must be zero, makes room for tag and nonce.
func (k *keys) sealPage(dst, page []byte, number uint32) {
	k.page.seal(dst, page[:pageSize-reserve], pageBound(number))
}

// openPage opens a sealed page in place, or into another buffer.
func (k *keys) openPage(dst, sealed []byte, number uint32) bool {
	if !k.page.open(dst, sealed, pageBound(number)) {
		return false
	}
	clear(dst[pageSize-reserve : pageSize])
	return true
}

// emptyDatabase is page 1 of a database without a table, laid out for us: WAL, our page size, our reserve. SQLite has no
// other way to be told the reserve.
func emptyDatabase() []byte {
	p := make([]byte, pageSize)
	copy(p, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(p[16:], pageSize)
	p[18], p[19] = 2, 2 // WAL
	p[20] = reserve
	p[21], p[22], p[23] = 64, 32, 32            // fixed payload fractions
	binary.BigEndian.PutUint32(p[24:], 1)       // change counter
	binary.BigEndian.PutUint32(p[28:], 1)       // pages
	binary.BigEndian.PutUint32(p[44:], 4)       // schema format
	binary.BigEndian.PutUint32(p[56:], 1)       // UTF-8
	binary.BigEndian.PutUint32(p[92:], 1)       // the change counter that the number of pages is valid for
	binary.BigEndian.PutUint32(p[96:], 3053004) // written by SQLite 3.53.4
	emptyLeaf(p[100:], pageSize-reserve)
	return p
}

// emptyLeaf is the start of a table's leaf page without a row.
func emptyLeaf(p []byte, contentStart uint16) {
	p[0] = 13
	binary.BigEndian.PutUint16(p[5:], contentStart)
}
