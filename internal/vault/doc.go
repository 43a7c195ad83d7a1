// Package vault seals secrets with age so that they can lie in the database,
// and opens them for the one place that hands a credential to an agent.
//
// # Owns
//
// The home's key file, the sealed form and the rule for names. An item is
// sealed together with its name, so a row that was given another row's value is
// refused.
//
// # Must not know
//
// The database, doors and tools: storage is the port Store, and no tool gets a
// value out. Only the engine is handed a Vault to Read from.
//
// # Goroutines and guarantees
//
// It starts no goroutine; a Vault may be used from any. No error, log line or
// event holds a value. Plaintext that we own is overwritten after use; copies
// that the age library or the garbage collector made are beyond reach, and the
// caller of Read should overwrite what it got (Wipe) as soon as it is handed on.
//
// The key makes stolen backups of the database useless. It does not protect
// from who can read the home as this user.
//
// # Failure points
//
// The key is made at the first Seal: written whole and synced under a name of
// its own, then linked into place, then the folder is synced. A kill leaves
// either no key or a whole one (and at most a stray vault.key.new-* file); two
// processes at once agree on the one that was linked first. A lost key file
// loses the items: Open says so, and a new Put replaces each.
//
// # Testing against it
//
// New with a path in t.TempDir and a map as the Store.
package vault
