// Package web holds the built page (the Deck) for the HTTP door to serve.
//
// It owns the files under static/ and nothing else: no handler, no goroutine, no
// state. The page has no private endpoint; it calls the same tools and reads the
// same events as any other client. `npm run build` in this folder fills static/;
// before that the package still compiles and Files says that nothing was built.
// The page's own tests are in test/ and run with `npm test`.
package web

import (
	"embed"
	"io/fs"
)

// Policy is the Content-Security-Policy that every response with a file of the
// page must carry. The page's browser tests run under this very value.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; " +
	"img-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

//go:embed all:static
var static embed.FS

// Files returns the page's files with index.html at the root. built is false
// when this binary was compiled without the page; index.html is missing then.
//
// index.html serves every route that is not a file. Names under assets/ hold a
// hash of their content and may be cached for ever; index.html must not be.
func Files() (files fs.FS, built bool) {
	files, err := fs.Sub(static, "static")
	if err != nil { // only an invalid path does this, and the path is a constant
		return static, false
	}
	_, err = fs.Stat(files, "index.html")
	return files, err == nil
}
