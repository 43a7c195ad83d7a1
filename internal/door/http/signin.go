package httpdoor

import (
	"net/http"
	"strconv"
	"strings"

	"vyre"
	"vyre/internal/door/api"
	"vyre/internal/registry"
)

const (
	cookieLife = 90 * 24 * 3600 // seconds that a browser keeps it
	maxCookies = 4              // of that name; other ports of localhost may set one too
	maxSignIn  = 4 << 10
	maxName    = 200
)

// cookieName is the cookie of this door's sessions. Browsers keep cookies by host
// and not by port, so the port is in the name: two homes on one machine don't
// sign each other out.
func (d *Door) cookieName() string { return "vyre_session_" + strconv.Itoa(d.port) }

// bind proves a caller by the cookie of a session.
func (d *Door) bind(r *http.Request) (vyre.Caller, error) {
	cookies := r.CookiesNamed(d.cookieName())
	for _, c := range cookies[:min(len(cookies), maxCookies)] {
		caller, err := d.o.Web.Caller(r.Context(), c.Value)
		if err == nil || vyre.CodeOf(err) != vyre.CodeUnauthenticated {
			return caller, err
		}
	}
	return vyre.Caller{}, vyre.Errorf(vyre.CodeUnauthenticated, "sign in first")
}

// signInInput is the body of POST /v1/sign-in.
type signInInput struct {
	Code string `json:"code"`
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
	secret, err := d.o.Web.SignIn(r.Context(), in.Code, browser(r))
	if err != nil {
		d.api.Fail(w, r, err)
		return
	}
	http.SetCookie(w, d.cookie(r, secret, cookieLife))
	d.api.Reply(w, r, map[string]string{"person": vyre.Owner})
}

func (d *Door) signOut(w http.ResponseWriter, r *http.Request, _ vyre.Caller) {
	for _, c := range r.CookiesNamed(d.cookieName()) {
		if err := d.o.Web.SignOut(r.Context(), c.Value); err != nil {
			d.api.Fail(w, r, err)
			return
		}
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
