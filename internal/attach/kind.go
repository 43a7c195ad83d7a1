package attach

import (
	"mime"
	"net/http"
	"path"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"vyre"
)

const (
	nonblock   = syscall.O_NONBLOCK
	errNoSpace = syscall.ENOSPC
	maxName    = 200 // bytes of a file's name
)

// checkName holds a name to one path element that every file system and terminal takes.
func checkName(name string) error {
	switch {
	case name == "" || name == "." || name == "..":
		return vyre.Invalid("name", "a file has a name")
	case len(name) > maxName:
		return vyre.Invalid("name", "at most %d bytes", maxName)
	case !utf8.ValidString(name) || strings.ContainsAny(name, `/\`):
		return vyre.Invalid("name", "a name is one path element")
	case strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
	}):
		return vyre.Invalid("name", "a name has no control characters")
	}
	return nil
}

// mediaType says what bytes are. Pictures are told by their bytes alone, as the
// model's service refuses a turn whose picture is none; for the rest the sender's
// word, then the name, count.
func mediaType(name, said string, data []byte) (string, error) {
	sniffed, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if said != "" {
		t, _, err := mime.ParseMediaType(said)
		if err != nil || len(t) > 100 {
			return "", vyre.Invalid("media_type", "%q is no media type", said)
		}
		said = t
	}
	if strings.HasPrefix(sniffed, "image/") {
		return sniffed, nil
	}
	if picture(said) {
		return "", vyre.Invalid("media_type", "the bytes are no %s", said)
	}
	if said != "" {
		return said, nil
	}
	if byName, _, _ := strings.Cut(mime.TypeByExtension(path.Ext(name)), ";"); byName != "" && !picture(byName) {
		return byName, nil
	}
	return sniffed, nil
}

// picture reports whether a media type is one that is recognised by its bytes.
func picture(t string) bool {
	switch t {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
		return true
	}
	return false
}
