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
	maxSignIn  = 4 << 10
	maxName    = 200
)

// cookieName is the cookie of this door's sessions. Browsers keep cookies by host
// and not by port, so the port is in the name: two homes on one machine don't
// sign each other out.
func (d *Door) cookieName() string { return "vyre_session_" + strconv.Itoa(d.port) }

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
	cookies := r.CookiesNamed(d.cookieName())
	if proofs := r.Header.Values(proofHeader); len(proofs) == 1 {
		for _, c := range cookies[:min(len(cookies), maxCookies)] {
			s := identity.Secrets{Cookie: c.Value, Proof: proofs[0]}
			caller, err := d.o.Web.Caller(r.Context(), s)
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
	body, err := api.Body(w, r, maxSignIn)
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	in, err := registry.Decode[signInInput](body)
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	secrets, err := d.o.Web.SignIn(r.Context(), in.Code, browser(r))
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	http.SetCookie(w, d.cookie(r, secrets.Cookie, cookieLife))
	d.api.Reply(w, r, signInOutput{vyre.Owner, secrets.Proof})
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

// cookie is the session's cookie. It is marked Secure where the page is on
// https; on http://localhost some browsers would not keep it then.
func (d *Door) cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: d.cookieName(), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: strings.HasPrefix(d.hosts[r.Host], "https://"),
	}
}

// browser names where a session was made, as the browser calls itself.
func browser(r *http.Request) string {
	name := r.UserAgent()
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}
