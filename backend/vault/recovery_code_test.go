package vault

import (
	"fmt"
	"strings"
	"testing"

	"parley/backend/agent"
)

var zeroCode = RecoveryCode{}

func TestRecoveryCodeComesBack(t *testing.T) {
	for range 200 {
		code := NewRecoveryCode()
		shown := code.Reveal()
		dotted := strings.ReplaceAll(shown, "-", " ")
		for _, typed := range []string{
			shown, strings.ToLower(shown), dotted, strings.ReplaceAll(shown, "-", ""), "\n " + strings.ReplaceAll(shown, "-", " – ") + "\t",
			strings.NewReplacer("0", "o", "1", "l").Replace(shown), strings.NewReplacer("0", "O", "1", "I").Replace(shown),
		} {
			if got, err := ParseRecoveryCode(typed); err != nil || got != code {
				t.Fatalf("%q: %v", typed, err)
			}
		}
		if strings.Contains(fmt.Sprintf("%v %+v %#v %s", code, code, code, &code), shown[:4]) {
			t.Fatal("a code was printed")
		}
	}
}

// TestRecoveryCodeSaysWhichGroup changes every letter to every other, and swaps every two neighbours and every two groups.
func TestRecoveryCodeSaysWhichGroup(t *testing.T) {
	shown := NewRecoveryCode().Reveal()
	refuse := func(typed string, group int) {
		t.Helper()
		_, err := ParseRecoveryCode(typed)
		if err == nil {
			t.Errorf("%s was taken for %s", typed, shown)
		} else if want := fmt.Sprintf("Group %d ", group); !strings.HasPrefix(agent.AsError(err).Message, want) {
			t.Errorf("%s: %q does not say %q", typed, agent.AsError(err).Message, want)
		}
	}
	for i, letter := range shown {
		if letter == '-' {
			continue
		}
		for _, other := range crockford + "!U*é" {
			if other != letter {
				refuse(shown[:i]+string(other)+shown[i+1:], i/6+1)
			}
		}
		if i+1 < len(shown) && shown[i+1] != '-' && shown[i] != shown[i+1] {
			refuse(shown[:i]+shown[i+1:i+2]+shown[i:i+1]+shown[i+2:], i/6+1)
		}
		refuse(shown[:i]+shown[i+1:], i/6+1)
	}
	groups := strings.Split(shown, "-")
	for i := range groups {
		for j := i + 1; j < len(groups); j++ {
			swapped := strings.Split(shown, "-")
			swapped[i], swapped[j] = groups[j], groups[i]
			refuse(strings.Join(swapped, "-"), i+1)
		}
	}
}

func TestRecoveryCodeLength(t *testing.T) {
	shown := zeroCode.Reveal()
	for _, typed := range []string{"", "-", shown[:6*12], shown + "-" + shown[:5], shown[:5]} {
		if _, err := ParseRecoveryCode(typed); err == nil {
			t.Errorf("%q was taken", typed)
		}
	}
	if want := "00000-00001-00002-00003-00004-00005-00006-00007-00008-00009-0000A-0000B-00063"; shown != want {
		t.Errorf("the code of zeros is %s", shown)
	}
}

func FuzzRecoveryCode(f *testing.F) {
	f.Add(zeroCode.Reveal())
	f.Add("o0iIlL-11111 \u2013 zzzzz")
	f.Fuzz(func(t *testing.T, typed string) {
		code, err := ParseRecoveryCode(typed)
		if err != nil {
			if agent.AsError(err).Code != agent.CodeValidation {
				t.Error(err)
			}
			return
		}
		if again, err := ParseRecoveryCode(code.Reveal()); err != nil || again != code {
			t.Errorf("%q: %v", typed, err)
		}
	})
}
