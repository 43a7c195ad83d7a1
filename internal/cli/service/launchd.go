package service

import (
	"encoding/xml"
	"fmt"
	"strings"

	"vyre/internal/config"
)

// plist is a launchd agent. AbandonProcessGroup leaves the sessions alone when the
// daemon ends; KeepAlive brings it back after every end but an ordered one, no
// faster than ThrottleInterval.
func (s Spec) plist() string {
	var b strings.Builder
	b.WriteString(xml.Header)
	b.WriteString(`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n")
	fmt.Fprintf(&b, "<!-- %s; `vyre service remove` takes it away. -->\n", mark)
	b.WriteString("<plist version=\"1.0\">\n<dict>\n")
	key := func(name, value string) { fmt.Fprintf(&b, "  <key>%s</key>\n  %s\n", name, value) }
	key("Label", str(Label))
	key("ProgramArguments", "<array>"+str(s.Program)+str("daemon")+"</array>")
	var env strings.Builder
	for _, kv := range s.environ() {
		env.WriteString("<key>" + text(kv[0]) + "</key>" + str(kv[1]))
	}
	key("EnvironmentVariables", "<dict>"+env.String()+"</dict>")
	key("RunAtLoad", "<true/>")
	key("KeepAlive", "<dict><key>SuccessfulExit</key><false/></dict>")
	key("ThrottleInterval", "<integer>5</integer>")
	key("AbandonProcessGroup", "<true/>")
	key("ExitTimeOut", "<integer>30</integer>")
	log := config.Layout{Home: s.Home}.Log()
	key("StandardOutPath", str(log))
	key("StandardErrorPath", str(log))
	b.WriteString("</dict>\n</plist>\n")
	return b.String()
}

func str(v string) string { return "<string>" + text(v) + "</string>" }

func text(v string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(v)) // a Builder takes everything
	return b.String()
}
