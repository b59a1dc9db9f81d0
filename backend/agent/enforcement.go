package agent

// Enforcement is what the system itself holds of a Policy that is not FilesFull, whatever runs under it.
type Enforcement struct {
	Files    Held // which files
	Network  Held // that a proxy of Parley's, which decides, is the only way out
	Programs Held // that other programs are not listened to, spoken to or ended: the keychain's, the desktop's, Parley
	Load     Held // how much memory and how many processes
}

// Held is one of these. Lacks says what is not held and why, Remedy what a person can do; both are empty if all is.
type Held struct {
	By     string // what holds it; empty if nothing does
	Lacks  string
	Remedy string
}

// Unenforced is the Enforcement where nothing is held, for one reason.
func Unenforced(why string) Enforcement {
	nothing := Held{Lacks: why}
	return Enforcement{nothing, nothing, nothing, nothing}
}
