package httpdoor

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/identity"
	"vyre/internal/registry"
)

const (
	cookieLife = int(identity.SessionLife / time.Second)
	maxCookies = 4 // of that name; other ports of localhost may set one too
	maxSignIn  = 16 << 10
	maxName    = 200
)

// cookieName is the cookie of this door's sessions. Browsers keep cookies by host
// and not by port, so the port is in the name: two homes on one machine don't
// sign each other out. On https it has the prefix that lets no other host of the
// domain, and no page without https, set it.
func (d *Door) cookieName(r *http.Request) string {
	name := "vyre_session_" + strconv.Itoa(d.port)
	if d.secure(r) {
		return "__Host-" + name
	}
	return name
}

// secure reports whether a request is of a page on https.
func (d *Door) secure(r *http.Request) bool { return strings.HasPrefix(d.hosts[r.Host], "https://") }

// proofHeader carries the second secret of a session. A browser adds the cookie
// by itself, also to requests to any other server on localhost; this header only
// our own page can add, out of the storage of its origin.
const proofHeader = "Vyre-Proof"

// bind proves a caller by both secrets of a session.
func (d *Door) bind(r *http.Request) (vyre.Caller, error) {
	caller, _, err := d.session(r)
	return caller, err
}

// session finds the session that a request's cookie and proof are of.
func (d *Door) session(r *http.Request) (vyre.Caller, identity.Secrets, error) {
	cookies := r.CookiesNamed(d.cookieName(r))
	if proofs := r.Header.Values(proofHeader); len(proofs) == 1 {
		for _, c := range cookies[:min(len(cookies), maxCookies)] {
			s := identity.Secrets{Cookie: c.Value, Proof: proofs[0]}
			caller, err := d.o.Web.Caller(r.Context(), s, d.hosts[r.Host])
			if err == nil || vyre.CodeOf(err) != vyre.CodeUnauthenticated {
				return caller, s, err
			}
		}
	}
	return vyre.Caller{}, identity.Secrets{}, vyre.Errorf(vyre.CodeUnauthenticated, "sign in first")
}

// signInInput is the body of POST /v1/sign-in.
type signInInput struct {
	Code string `json:"code"`
}

// signInOutput is its answer: the one time that the proof is told.
type signInOutput struct {
	Person string `json:"person"`
	Proof  string `json:"proof"`
}

func (d *Door) signIn(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	in, ok := read[signInInput](d, w, r)
	if !ok {
		return
	}
	secrets, err := d.o.Web.SignIn(r.Context(), in.Code, d.place(r))
	d.signedIn(w, r, secrets, err)
}

// signedIn gives a browser the secrets of its new session. One that it had before
// is ended: nothing that was known of it is worth anything any more.
func (d *Door) signedIn(w http.ResponseWriter, r *http.Request, s identity.Secrets, err error) {
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	if _, old, was := d.session(r); was == nil {
		if err := d.o.Web.SignOut(r.Context(), old); err != nil {
			d.o.Log.WarnContext(r.Context(), "an earlier session could not be ended", "err", err)
		}
	}
	http.SetCookie(w, d.cookie(r, s.Cookie, cookieLife))
	d.api.Reply(w, r, signInOutput{vyre.Owner, s.Proof})
}

func (d *Door) signOut(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	_, secrets, err := d.session(r)
	if err == nil {
		err = d.o.Web.SignOut(r.Context(), secrets)
	}
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	http.SetCookie(w, d.cookie(r, "", -1))
	d.api.Reply(w, r, map[string]bool{"ok": true})
}

// cookie is the session's cookie. It is Secure on https; on http://localhost some
// browsers would not keep it then.
func (d *Door) cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: d.cookieName(r), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: d.secure(r),
	}
}

// read takes the body of a route that is open to everybody.
func read[In any](d *Door, w http.ResponseWriter, r *http.Request) (in In, ok bool) {
	body, err := api.Body(w, r, maxSignIn)
	if err == nil {
		in, err = registry.Decode[In](body)
	}
	if err != nil {
		d.api.Fail(w, r, err)
	}
	return in, err == nil
}

// place is where a session is made.
func (d *Door) place(r *http.Request) identity.Place {
	return identity.Place{Name: browser(r), Site: d.hosts[r.Host]}
}

// browser names where a session was made, as the browser calls itself.
func browser(r *http.Request) string {
	name := r.UserAgent()
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}
