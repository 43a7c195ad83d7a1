package httpdoor

import (
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"vyre"
)

// page serves a file of the page, or index.html for one of its routes. Nothing
// in these files is anyone's data, so they are served to all.
func (d *Door) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" || !strings.Contains(path.Base(name), ".") {
		name = "index.html"
	}
	body, packed, err := d.file(name, acceptsGzip(r))
	if err != nil {
		d.missing(w, r, name)
		return
	}
	h := w.Header()
	if h.Set("Cache-Control", "no-cache"); strings.HasPrefix(name, "assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable") // their names hold a hash
	}
	h.Set("Vary", "Accept-Encoding")
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", typeOf(path.Ext(name)))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(30 * time.Second))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a browser that went away needs no answer
	}
}

// file reads a file, its packed form if there is one and it is welcome. The
// packed form is not a file of its own.
func (d *Door) file(name string, gzip bool) (body []byte, packed bool, err error) {
	if d.o.Files == nil || !fs.ValidPath(name) || strings.HasSuffix(name, ".gz") {
		return nil, false, fs.ErrNotExist
	}
	if gzip {
		if body, err := fs.ReadFile(d.o.Files, name+".gz"); err == nil {
			return body, true, nil
		}
	}
	body, err = fs.ReadFile(d.o.Files, name)
	return body, false, err
}

func (d *Door) missing(w http.ResponseWriter, r *http.Request, name string) {
	if name == "index.html" {
		d.api.Fail(w, r, vyre.Errorf(vyre.CodeNotFound, "this program was built without the page").
			WithHint("Build it with `make build`; the command line works without."))
		return
	}
	d.api.Fail(w, r, vyre.Errorf(vyre.CodeNotFound, "the page has no such file"))
}

// acceptsGzip reads the header as browsers write it; "gzip;q=0" is a no.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" {
			return strings.TrimSpace(q) != "q=0"
		}
	}
	return false
}

// typeOf is the content type of a file. It is a list of our own: what a
// machine's own list says of .js differs, and nosniff makes the difference count.
func typeOf(ext string) string {
	switch ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json", ".map":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
