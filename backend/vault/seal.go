package vault

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/chacha20poly1305"
	"golang.org/x/text/unicode/norm"
)

const keySize = 32

// seal encrypts plain with XChaCha20-Poly1305 under a random nonce, which 192 bits allow for ever. What it gives begins
// with the nonce.
func seal(key, aad, plain []byte) []byte {
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		panic(err) // the key has another length: ours to mend
	}
	nonce := random(chacha20poly1305.NonceSizeX)
	return aead.Seal(nonce, nonce, plain, aad)
}

func unseal(key, aad, sealed []byte) ([]byte, error) {
	if len(sealed) < chacha20poly1305.NonceSizeX {
		return nil, errors.New("too short")
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, sealed[:chacha20poly1305.NonceSizeX], sealed[chacha20poly1305.NonceSizeX:], aad)
}

// subkey derives a key for one purpose from one that is random already.
func subkey(key []byte, purpose string) []byte {
	sub, err := hkdf.Key(sha256.New, key, nil, "parley "+purpose, keySize)
	if err != nil {
		panic(err) // only for lengths that HKDF cannot give
	}
	return sub
}

// checkSize bytes tell one key from another.
const checkSize = 16

// check tells whether a key is the right one before anything is opened with it. It says nothing else about it.
func check(key []byte) []byte { return subkey(key, "key check")[:checkSize] }

func equal(a, b []byte) bool { return subtle.ConstantTimeCompare(a, b) == 1 }

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails: crypto/rand ends the program instead
	return b
}

// Wipe overwrites a secret with zeros.
func Wipe(b []byte) { clear(b) }

// Cost is what one guess of a passphrase costs with Argon2id: see Calibrate. It is stored beside what it protects. The
// zero Cost stands for MinCost.
type Cost struct {
	Time    uint32 // passes
	Memory  uint32 // KiB
	Threads uint8
}

// MinCost is the cheapest that Calibrate gives.
var MinCost = Cost{Time: 3, Memory: 64 << 10, Threads: 4}

// maxCost bounds what a file may ask of this machine before it has proved anything.
var maxCost = Cost{Time: 16, Memory: 1 << 20, Threads: 16}

// Calibrate finds a cost that takes this machine half a second to a second, and never less than MinCost. It measures that
// one, once: twice the memory takes twice as long.
func Calibrate() Cost { return measured() }

var measured = sync.OnceValue(func() Cost {
	return calibrate(func(c Cost) time.Duration {
		start := time.Now()
		derive([]byte("a passphrase to measure with"), make([]byte, saltSize), c)
		return time.Since(start)
	})
})

func calibrate(measure func(Cost) time.Duration) Cost {
	const enough = time.Second / 2
	cost := MinCost
	took := measure(cost)
	for took < enough && cost.Memory < maxCost.Memory/2 {
		cost.Memory *= 2
		took *= 2
	}
	for took < enough && cost.Time < maxCost.Time {
		took += took / time.Duration(cost.Time)
		cost.Time++
	}
	return cost
}

const saltSize = 16

// derive makes a key of a passphrase. The same letters typed on another system may be composed otherwise: they are the
// same passphrase.
func derive(passphrase, salt []byte, c Cost) []byte {
	composed := norm.NFC.Append(nil, passphrase...) // a copy: Bytes may give its argument back
	defer Wipe(composed)
	return argon2.IDKey(composed, salt, c.Time, c.Memory, c.Threads, keySize)
}

// hardening is a Cost and its salt, as one word of a file: argon2id:<time>:<memory>:<threads>:<salt>.
type hardening struct {
	cost Cost
	salt []byte
}

// harden keeps c within what parseHardening takes.
func harden(c Cost) hardening {
	if c == (Cost{}) {
		c = MinCost
	}
	c = Cost{min(max(c.Time, 1), maxCost.Time), min(max(c.Memory, 1), maxCost.Memory), min(max(c.Threads, 1), maxCost.Threads)}
	return hardening{c, random(saltSize)}
}

// key gives the memory that it took back to the system at once: it is more than the rest of Parley needs, and would else stay
// for minutes.
func (h hardening) key(passphrase []byte) []byte {
	defer debug.FreeOSMemory()
	return derive(passphrase, h.salt, h.cost)
}

func (h hardening) String() string {
	return fmt.Sprintf("argon2id:%d:%d:%d:%x", h.cost.Time, h.cost.Memory, h.cost.Threads, h.salt)
}

func parseHardening(word string) (hardening, error) {
	fields := strings.Split(word, ":")
	if len(fields) != 5 || fields[0] != "argon2id" {
		return hardening{}, fmt.Errorf("unknown hardening %.40q", word)
	}
	var numbers [3]uint64
	for i, most := range []uint32{maxCost.Time, maxCost.Memory, uint32(maxCost.Threads)} {
		n, err := strconv.ParseUint(fields[i+1], 10, 32)
		if err != nil || n < 1 || n > uint64(most) {
			return hardening{}, fmt.Errorf("hardening %.20q is not between 1 and %d", fields[i+1], most)
		}
		numbers[i] = n
	}
	salt, err := hex.DecodeString(fields[4])
	if err != nil || len(salt) != saltSize {
		return hardening{}, errors.New("hardening has a bad salt")
	}
	return hardening{Cost{uint32(numbers[0]), uint32(numbers[1]), uint8(numbers[2])}, salt}, nil
}
