package passkey

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math/big"
	"sync"
	"time"

	"vyre"
)

// pairLife is how long a pairing lives, from the code to the confirmation.
const pairLife = 2 * time.Minute

// freeLife is how long a paired phone may take to enrol its passkey.
const freeLife = 10 * time.Minute

// Pairing states.
const (
	PairWaiting   = "waiting"   // for the phone to scan the code
	PairClaimed   = "claimed"   // a device scanned it and shows the digits
	PairConfirmed = "confirmed" // the person said that the digits are the same
	PairTaken     = "taken"     // the phone has its session
	PairBurned    = "burned"    // refused, expired, scanned twice or wrong digits
)

// Pairing is one phone being let in.
type Pairing struct {
	ID      string
	State   string
	URL     string // with the secret; only for who began it
	Digits  string // once it is claimed
	Device  string // that claimed it, as it calls itself
	Expires time.Time
	Why     string // it was burned
}

// pair is a Pairing with its secrets' hashes, guarded by pairs.mu.
type pair struct {
	Pairing
	site    string
	by      vyre.Caller
	secret  [32]byte
	claim   [32]byte
	changed chan struct{}
}

// pairs holds the pairing under way: there is one at most, a new one burns the old.
type pairs struct {
	mu   sync.Mutex
	now  *pair                       // or nil
	free map[vyre.SignInID]time.Time // paired sessions that may enrol a passkey once, until then
}

func (p *pair) move(state string) {
	p.State = state
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *pair) burn(why string) {
	if p.State != PairTaken && p.State != PairBurned {
		p.Why = why
		p.move(PairBurned)
	}
}

// get returns the pairing under an id to who began it, burned if its time is over. The lock must be
// held.
func (p *pairs) get(c vyre.Caller, id string, now time.Time) (*pair, error) {
	if p.now == nil || p.now.ID != id || p.now.by.String() != c.String() || p.now.by.Session != c.Session {
		return nil, vyre.NotFound("pairing", id)
	}
	p.age(now)
	return p.now, nil
}

func (p *pairs) age(now time.Time) {
	if p.now != nil && (!now.Before(p.now.Expires) || p.now.Expires.Sub(now) > pairLife) {
		p.now.burn("its two minutes are over")
	}
}

// Pair begins a pairing at one of our sites and returns it with the address that
// the code holds. Whether the caller may, the registry has asked Prove.
func (k *Keys) Pair(c vyre.Caller, site string) (Pairing, error) {
	if site == "" {
		site = k.c.Sites()[len(k.c.Sites())-1] // an https name, where there is one
	}
	if err := k.site(site); err != nil {
		return Pairing{}, err
	}
	secret, now := vyre.NewSecret(), k.c.Now()
	p := &pair{site: site, by: c, secret: sha256.Sum256([]byte(secret)), changed: make(chan struct{})}
	// The secret stands in the fragment, which browsers send to nobody.
	p.Pairing = Pairing{ID: vyre.NewID(), State: PairWaiting, URL: site + "/pair#" + secret, Expires: now.Add(pairLife)}
	k.pairs.mu.Lock()
	defer k.pairs.mu.Unlock()
	if k.pairs.now != nil {
		k.pairs.now.burn("another pairing was begun")
	}
	k.pairs.now = p
	return p.Pairing, nil
}

// Claim is the phone's part: it trades the secret of the code for a claim, once,
// and learns the digits to show. A code that is scanned twice was seen by somebody
// else, so the second scan burns it for both. Errors: unauthenticated.
func (k *Keys) Claim(secret, site, device string) (claim string, p Pairing, err error) {
	sum := sha256.Sum256([]byte(secret))
	k.pairs.mu.Lock()
	defer k.pairs.mu.Unlock()
	k.pairs.age(k.c.Now())
	x := k.pairs.now
	if x == nil || subtle.ConstantTimeCompare(sum[:], x.secret[:]) != 1 || x.site != site {
		return "", Pairing{}, badPairing("this code is wrong or over")
	}
	if x.State != PairWaiting {
		x.burn("the code was scanned twice")
		return "", Pairing{}, badPairing("this code was scanned before, so it is void now")
	}
	claim = vyre.NewSecret()
	x.claim, x.Device = sha256.Sum256([]byte(claim)), device
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", Pairing{}, vyre.Errorf(vyre.CodeInternal, "no digits could be made").Because(err)
	}
	x.Digits = fmt.Sprintf("%06d", n)
	x.move(PairClaimed)
	return claim, x.hidden(), nil
}

// hidden leaves out what only the beginner may see.
func (p *pair) hidden() Pairing {
	out := p.Pairing
	out.URL = ""
	return out
}

// Pairing returns how a pairing stands, once it is another state than since or ctx
// ends, for who began it.
func (k *Keys) Pairing(ctx context.Context, c vyre.Caller, id, since string) (Pairing, error) {
	return k.follow(ctx, since, func() (*pair, error) { return k.pairs.get(c, id, k.c.Now()) })
}

// ClaimOf is the same for the phone, by its claim. Errors: unauthenticated.
func (k *Keys) ClaimOf(ctx context.Context, claim, since string) (Pairing, error) {
	p, err := k.follow(ctx, since, func() (*pair, error) { return k.claimed(claim) })
	p.URL = ""
	return p, err
}

// claimed finds the pairing of a claim. The lock must be held.
func (k *Keys) claimed(claim string) (*pair, error) {
	sum := sha256.Sum256([]byte(claim))
	k.pairs.age(k.c.Now())
	if x := k.pairs.now; x != nil && x.claim != [32]byte{} && subtle.ConstantTimeCompare(sum[:], x.claim[:]) == 1 {
		return x, nil
	}
	return nil, badPairing("this pairing is over")
}

func (k *Keys) follow(ctx context.Context, since string, find func() (*pair, error)) (Pairing, error) {
	for {
		k.pairs.mu.Lock()
		x, err := find()
		if err != nil {
			k.pairs.mu.Unlock()
			return Pairing{}, err
		}
		now, changed := x.Pairing, x.changed
		k.pairs.mu.Unlock()
		if now.State != since || now.State == PairBurned || now.State == PairTaken {
			return now, nil
		}
		t := time.NewTimer(max(time.Millisecond, now.Expires.Sub(k.c.Now())))
		select {
		case <-changed:
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return now, nil
		}
		t.Stop()
	}
}

// Confirm says that the phone shows these digits. Other ones burn the pairing.
// Errors: not_found, conflict, denied.
func (k *Keys) Confirm(c vyre.Caller, id, digits string) (Pairing, error) {
	k.pairs.mu.Lock()
	defer k.pairs.mu.Unlock()
	x, err := k.pairs.get(c, id, k.c.Now())
	if err != nil {
		return Pairing{}, err
	}
	if x.State != PairClaimed {
		return Pairing{}, vyre.Errorf(vyre.CodeConflict, "this pairing can't be confirmed").WithDetail("state", x.State).WithDetail("why", x.Why)
	}
	if subtle.ConstantTimeCompare([]byte(digits), []byte(x.Digits)) != 1 {
		x.burn("the digits were not the same")
		return Pairing{}, vyre.Errorf(vyre.CodeDenied, "the digits are not those of the device that scanned the code").
			WithHint("Somebody else may have scanned it. Begin again.")
	}
	x.move(PairConfirmed)
	return x.hidden(), nil
}

// Refuse burns a pairing. Errors: not_found.
func (k *Keys) Refuse(c vyre.Caller, id string) error {
	k.pairs.mu.Lock()
	defer k.pairs.mu.Unlock()
	x, err := k.pairs.get(c, id, k.c.Now())
	if err == nil {
		x.burn("it was refused")
	}
	return err
}

// Take uses a confirmed pairing up: once it returns nil, the phone gets its session.
// Errors: unauthenticated, conflict.
func (k *Keys) Take(claim string) error {
	k.pairs.mu.Lock()
	defer k.pairs.mu.Unlock()
	x, err := k.claimed(claim)
	if err != nil {
		return err
	}
	if x.State != PairConfirmed {
		return vyre.Errorf(vyre.CodeConflict, "this pairing is not confirmed").WithDetail("state", x.State).WithDetail("why", x.Why)
	}
	x.move(PairTaken)
	return nil
}

// Free lets a paired phone's session enrol one passkey without a touch, soon.
func (k *Keys) Free(id vyre.SignInID) {
	k.pairs.mu.Lock()
	defer k.pairs.mu.Unlock()
	k.pairs.free[id] = k.c.Now().Add(freeLife)
}

// use takes that leave, once.
func (p *pairs) use(id vyre.SignInID, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	until, ok := p.free[id]
	delete(p.free, id)
	return ok && id != "" && now.Before(until)
}

func badPairing(what string) *vyre.Error {
	return vyre.Errorf(vyre.CodeUnauthenticated, "%s", what).WithHint("Begin again on the device that is signed in.")
}
