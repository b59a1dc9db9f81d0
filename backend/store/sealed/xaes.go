package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
)

// xaes is XAES-256-GCM (C2SP, c2sp.org/XAES-256-GCM): AES-256-GCM under a key derived from the first half of a 192-bit
// nonce. Nonces that long may be drawn at random for every page of every file without counting them.
type xaes struct {
	block cipher.Block
	k1    [aes.BlockSize]byte
}

func newXAES(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	x := &xaes{block: block}
	block.Encrypt(x.k1[:], x.k1[:])
	var carry byte
	for i := len(x.k1) - 1; i >= 0; i-- {
		x.k1[i], carry = x.k1[i]<<1|carry, x.k1[i]>>7
	}
	x.k1[len(x.k1)-1] ^= carry * 0x87
	return x, nil
}

func (x *xaes) NonceSize() int { return nonceSize }
func (x *xaes) Overhead() int  { return tagSize }

func (x *xaes) Seal(dst, nonce, plain, aad []byte) []byte {
	return x.derive(nonce).Seal(dst, nonce[12:], plain, aad)
}

func (x *xaes) Open(dst, nonce, sealed, aad []byte) ([]byte, error) {
	if len(nonce) != nonceSize {
		return nil, errors.New("xaes: a nonce has 24 bytes")
	}
	return x.derive(nonce).Open(dst, nonce[12:], sealed, aad)
}

// derive gives the AES-256-GCM of one nonce: two blocks of CMAC over a counter, "X", and the nonce's first half.
func (x *xaes) derive(nonce []byte) cipher.AEAD {
	key := [32]byte{1: 1, 2: 'X', 17: 2, 18: 'X'}
	copy(key[4:16], nonce)
	copy(key[20:32], nonce)
	for i, k := range x.k1 {
		key[i] ^= k
		key[16+i] ^= k
	}
	x.block.Encrypt(key[:16], key[:16])
	x.block.Encrypt(key[16:], key[16:])
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has blocks of 16 bytes
	}
	clear(key[:])
	return gcm
}
