package vault

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"unicode"

	"parley/backend/agent"
)

// RecoveryCode opens a history whose keychain is lost: 256 random bits that only the person keeps. It prints as a
// placeholder, never as itself.
type RecoveryCode struct{ secret [keySize]byte }

// NewRecoveryCode makes one. It opens nothing until KeyFile.SetRecoveryCode: show it first.
func NewRecoveryCode() RecoveryCode { return RecoveryCode{[keySize]byte(random(keySize))} }

// String hides the code.
func (RecoveryCode) String() string { return "[recovery code]" }

// GoString hides the code.
func (RecoveryCode) GoString() string { return "[recovery code]" }

// A code is 13 groups of five letters: four that carry 20 bits, and one that checks them. 256 bits and a 4-bit check of
// the whole fill 52 letters exactly.
const (
	codeGroups   = 13
	groupLetters = 5
	crockford    = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
)

var codeEncoding = base32.NewEncoding(crockford).WithPadding(base32.NoPadding)

// Reveal gives the code as the person writes it down.
func (c RecoveryCode) Reveal() string {
	whole := sha256.Sum256(c.secret[:])
	letters := codeEncoding.EncodeToString(append(c.secret[:], whole[0]))[:codeGroups*(groupLetters-1)]
	var groups [codeGroups]string
	for i := range groups {
		data := letters[i*(groupLetters-1) : (i+1)*(groupLetters-1)]
		groups[i] = data + string(crockford[groupCheck(i, data)])
	}
	return strings.Join(groups[:], "-")
}

// ParseRecoveryCode reads what a person typed: in any case, grouped in any way, O for 0, I and L for 1. An error says
// which group to look at again.
func ParseRecoveryCode(typed string) (RecoveryCode, error) {
	groups := strings.FieldsFunc(typed, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Dash, r) })
	letters := strings.Join(groups, "")
	for i, group := range groups {
		if len(groups) == codeGroups && len(group) != groupLetters {
			return RecoveryCode{}, badCode("Group %d of the recovery code has not %d letters or digits. Check it and type it again.", i+1, groupLetters)
		}
	}
	var data strings.Builder
	count := 0
	for _, r := range letters {
		group := count/groupLetters + 1
		value := strings.IndexRune(crockford, plainLetter(r))
		if value < 0 {
			return RecoveryCode{}, badCode("Group %d of the recovery code holds %q, which no code has. Check it and type it again.", group, r)
		}
		if count++; count%groupLetters != 0 {
			data.WriteByte(crockford[value])
			continue
		}
		if group <= codeGroups && value != groupCheck(group-1, data.String()[(group-1)*(groupLetters-1):]) {
			return RecoveryCode{}, badCode("Group %d of the recovery code is not right. Check it and type it again.", group)
		}
	}
	if count != codeGroups*groupLetters {
		return RecoveryCode{}, badCode("A recovery code has %d letters and digits; this has %d. Check it and type it again.", codeGroups*groupLetters, count)
	}
	// 52 letters are 260 bits: what lies past the 256 is the check of the whole, which the encoding would drop.
	raw, err := codeEncoding.DecodeString(data.String() + "0")
	if err != nil {
		return RecoveryCode{}, badCode("This is not a recovery code. Check it and type it again.")
	}
	code := RecoveryCode{[keySize]byte(raw)}
	if sum := sha256.Sum256(code.secret[:]); raw[keySize]>>4 != sum[0]>>4 {
		return RecoveryCode{}, badCode("Two groups of the recovery code are not right. Check it and type it again.")
	}
	return code, nil
}

func badCode(format string, args ...any) error {
	return agent.Errorf(agent.CodeValidation, format, args...)
}

func plainLetter(r rune) rune {
	switch r = unicode.ToUpper(r); r {
	case 'O':
		return '0'
	case 'I', 'L':
		return '1'
	}
	return r
}

// groupCheck is a sum in GF(32), each letter and the group's place with a weight of its own: one wrong letter, two
// swapped letters and a swapped group never go unseen.
func groupCheck(place int, letters string) int {
	sum, weight := place, 1
	for _, r := range letters {
		weight = double(weight)
		for factor, bits := weight, strings.IndexRune(crockford, r); bits > 0; bits >>= 1 {
			if bits&1 == 1 {
				sum ^= factor
			}
			factor = double(factor)
		}
	}
	return sum
}

// double multiplies by x in GF(32), modulo x⁵+x²+1.
func double(n int) int {
	if n <<= 1; n&32 != 0 {
		n ^= 0b100101
	}
	return n
}

// key is the key of the slot that this code opens. The code is random already: nothing has to be made slow.
func (c RecoveryCode) key(salt string) []byte { return subkey(c.secret[:], "recovery code "+salt) }
