package loginenv

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Shell returns the absolute path of the person's login shell: $SHELL, else
// the password file's, else /bin/sh.
func Shell(getenv func(string) string) string {
	if s := getenv("SHELL"); filepath.IsAbs(s) {
		return s
	}
	if f, err := os.Open("/etc/passwd"); err == nil {
		defer f.Close()
		if s := passwdShell(bufio.NewScanner(f), os.Getuid()); s != "" {
			return s
		}
	}
	return "/bin/sh"
}

// passwdShell finds the shell of a user in the lines of a password file.
func passwdShell(lines *bufio.Scanner, uid int) string {
	for lines.Scan() {
		f := strings.Split(lines.Text(), ":")
		if len(f) == 7 && f[2] == strconv.Itoa(uid) && filepath.IsAbs(f[6]) {
			return f[6]
		}
	}
	return ""
}
