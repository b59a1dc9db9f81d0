package history

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/vault"
)

// pass lets so much time pass, and everything happen that follows.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestAHistoryThatIsIdleLocksItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		l := begin(t, folder, nil, "correct horse")
		pass(48 * time.Hour)
		l.is(vault.Ready) // nobody has asked for it
		must(t, l.SetLockAfter(t.Context(), 5))
		for range 3 {
			pass(4 * time.Minute)
			if s := l.is(vault.Ready); s.LockAfter != 5 {
				t.Errorf("%+v", s)
			}
			l.Use()
		}
		pass(5*time.Minute - lookEvery - 1)
		l.is(vault.Ready)
		pass(2 * lookEvery)
		l.is(vault.Sleeping)
		if err := l.keys.With(func(_, _ []byte) error { return nil }); err == nil {
			t.Error("the key is still in memory")
		}

		must(t, l.UnlockWithPassphrase(t.Context(), []byte("correct horse")))
		pass(4 * time.Minute)
		l.is(vault.Ready) // whoever unlocks it is there
		must(t, l.Close())
		l = begin(t, folder, nil, "correct horse")
		l.is(vault.Ready)
		pass(5*time.Minute + lookEvery)
		l.is(vault.Sleeping) // the history itself knows how long
		must(t, l.UnlockWithPassphrase(t.Context(), []byte("correct horse")))
		must(t, l.SetLockAfter(t.Context(), 0))
		pass(time.Hour)
		l.is(vault.Ready)
	})
}

func TestATurnDelaysLocking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := begin(t, t.TempDir(), nil, "correct horse")
		must(t, l.SetLockAfter(t.Context(), 5))
		l.busy.Store(true)
		pass(time.Hour)
		l.is(vault.Ready)
		l.Use() // by whoever has come meanwhile
		l.busy.Store(false)
		pass(lookEvery)
		l.is(vault.Sleeping)
	})
}

// TestAMachineThatSleptIsIdle: for whoever wakes it, nothing ticks in time.
func TestAMachineThatSleptIsIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := begin(t, t.TempDir(), nil, "correct horse")
		var slept time.Duration
		l.Now = func() time.Time { return time.Now().Add(slept) }
		must(t, l.SetLockAfter(t.Context(), 5))
		slept = 4 * time.Minute
		l.LockIfIdle(t.Context())
		l.is(vault.Ready)
		slept = 8 * time.Hour
		l.Use() // too late
		l.LockIfIdle(t.Context())
		l.is(vault.Sleeping)
		must(t, l.UnlockWithPassphrase(t.Context(), []byte("correct horse")))
		l.LockIfIdle(t.Context())
		l.is(vault.Ready)
	})
}

func TestOnlyAPassphraseLetsAHistoryLockItself(t *testing.T) {
	l := begin(t, t.TempDir(), newRing(t), "")
	refused(t, l.SetLockAfter(t.Context(), 5), "Set a passphrase first")
	must(t, l.SetLockAfter(t.Context(), 0))
	must(t, l.SetPassphrase(t.Context(), []byte("correct horse")))
	for _, minutes := range []int{-1, mostMinutes + 1} {
		refused(t, l.SetLockAfter(t.Context(), minutes), "1 to 1440 minutes")
	}
	must(t, l.SetLockAfter(t.Context(), mostMinutes))
	must(t, l.RemovePassphrase(t.Context()))
	if s := l.is(vault.Ready); s.LockAfter != 0 || l.lockAfter(t.Context()) != 0 {
		t.Errorf("%+v", s)
	}
}
