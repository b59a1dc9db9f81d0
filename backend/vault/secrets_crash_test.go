package vault

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/backend/store"
)

func TestSecretsSurviveKills(t *testing.T) { crashSecrets(t, "sealed", t.TempDir()) }

func crashName(n int) string { return fmt.Sprint("secret-", n/3%3) }

// changeSecrets is the child: one after the other, secrets are made, changed in value and format, and removed.
func changeSecrets(kind, folder string) error {
	ring, _, err := crashRing(kind, folder)
	if err != nil {
		return err
	}
	k, err := secretsIn(folder, ring)
	if err != nil {
		return err
	}
	rows, err := k.rows(background, "")
	for _, row := range rows {
		err = errors.Join(err, k.Remove(background, row.SecretID))
	}
	for n := 0; err == nil; n++ {
		id := store.SecretID{Slug: crashName(n)}
		switch n % 3 {
		case 0:
			_, err = k.Make(background, NewSecret{Name: id.Slug, Format: FormatText, Value: []byte(crashSecret(n))})
		case 1:
			_, err = k.Change(background, id, SecretChange{Value: of([]byte(crashSecret(n))), Format: of(FormatJSON)})
		default:
			err = k.Remove(background, id)
		}
		if err == nil {
			fmt.Println(n)
		}
	}
	return err
}

// crashSecret is the value that step n stores: of every second secret a long one.
func crashSecret(n int) string {
	long := strings.Repeat("x", n/3%2*5000)
	if n%3 == 1 {
		return fmt.Sprintf(`{"n":"%d","long":"%s"}`, n, long)
	}
	return fmt.Sprint(n, long)
}

// afterCrash is what there is after step n.
func afterCrash(n int) string {
	switch n % 3 {
	case 0:
		return crashName(n) + " text [] " + crashSecret(n)
	case 1:
		return crashName(n) + " json [n long] " + crashSecret(n)
	}
	return ""
}

// crashSecrets kills the child at random points. There is what there was after the last step that it told of, or after the one
// that it was at, whole: the value with its format, and nothing in the keyring that nobody knows.
func crashSecrets(t *testing.T, kind, folder string) {
	for range kills {
		last := runAndKill(t, "secrets-"+kind, folder)
		ring, shut, err := crashRing(kind, folder)
		if err != nil {
			t.Fatal(err)
		}
		k := openSecrets(t, folder, ring)
		list, problem, err := k.List(t.Context(), "")
		if err != nil || problem != nil {
			t.Fatal(problem, err)
		}
		var found string
		for _, one := range list {
			found += fmt.Sprintf("%s %s %v %s", one.Slug, one.Format, one.Shown, k.resolve("", one.Slug))
		}
		if found != afterCrash(last) && found != afterCrash(last+1) {
			t.Errorf("after step %d there is %.60q", last, found)
		}
		for n := range 3 {
			slug := crashName(3 * n)
			if _, err := ring.Get(t.Context(), "secret:"+slug); !errors.Is(err, ErrNotFound) && !strings.HasPrefix(found, slug) {
				t.Errorf("after step %d the keyring has %s (%v)", last, slug, err)
			}
		}
		if left, err := k.Store.UnsettledSecrets(t.Context()); err != nil || len(left) != 0 {
			t.Errorf("not settled are %+v (%v)", left, err)
		}
		if err := k.Store.Close(); err != nil {
			t.Fatal(err)
		}
		shut()
	}
}
