package config

import (
	"testing"

	"vyre"
)

// A door for other machines is opened with a name and a certificate or not at all:
// there is no way to serve them without https.
func TestWebNeedsHTTPS(t *testing.T) {
	const names, files = "names = [\"box.example.org\"]\n", "cert = \"/c\"\nkey = \"/k\"\n"
	for text, field := range map[string]string{
		"": "",
		"listen = \"0.0.0.0:8443\"\n" + names + files:                          "",
		"listen = \"[::]:443\"\n" + names + "tailnet = \"on\"":                 "",
		"listen = \"100.64.0.7:443\"\n" + names + "tailnet = \"/run/ts.sock\"": "",
		"listen = \"0.0.0.0:8443\"":                                            "web.names",
		"listen = \"0.0.0.0:8443\"\n" + names:                                  "web.cert",
		"listen = \"0.0.0.0:8443\"\n" + names + files + "tailnet = \"on\"":     "web.cert",
		"listen = \"0.0.0.0:8443\"\n" + names + "cert = \"/c\"":                "web.cert",
		"listen = \"0.0.0.0:8443\"\n" + names + "cert = \"c\"\nkey = \"/k\"":   "web.cert",
		"listen = \"box:8443\"\n" + names + files:                              "web.listen",
		"listen = \":8443\"\n" + names + files:                                 "web.listen",
		"listen = \"0.0.0.0\"\n" + names + files:                               "web.listen",
		names:                                                                  "web.listen",
		files:                                                                  "web.listen",
		"listen = \"0.0.0.0:1\"\nnames = [\"192.168.0.1\"]\n" + files:          "web.names",
		"listen = \"0.0.0.0:1\"\nnames = [\"localhost\"]\n" + files:            "web.names",
		"listen = \"0.0.0.0:1\"\nnames = [\"Box.example\"]\n" + files:          "web.names",
		"listen = \"0.0.0.0:1\"\nnames = [\"*.example.org\"]\n" + files:        "web.names",
		"listen = \"0.0.0.0:1\"\nnames = [\"a.example:1\"]\n" + files:          "web.names",
		"tailnet = \"maybe\"":                                                  "web.tailnet",
	} {
		_, err := Parse([]byte("[web]\n" + text))
		if e := vyre.AsError(err); (e == nil) != (field == "") || e != nil && e.Field != field {
			t.Errorf("%q: %v, want a fault in %q", text, err, field)
		}
	}
}
