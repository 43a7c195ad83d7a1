package main

import (
	"os"

	"vyre/internal/fail"
)

func main() {
	for _, n := range []string{"1 ", "2 ", "3 "} {
		fail.Point("a.b")
		_, _ = os.Stdout.WriteString(n)
	}
}
