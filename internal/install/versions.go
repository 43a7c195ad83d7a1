package install

import (
	"runtime"
	"slices"
	"strings"
)

// Pin is the version of an agent that this build was measured with.
type Pin struct {
	Provider string // claude
	Program  string // the program's file name
	Version  string // what the program says of itself
	Package  string // npm package of a platform, without the platform's name
	Release  string // the package's own version
	Builds   map[string]Build
}

// Build is one platform's program, as the vendor's manifest of the release
// lists it.
type Build struct {
	Size   int64
	SHA256 string // hex
}

// Claude is the pinned Claude Code: SDK 0.3.332, which carries 2.1.332. The
// sums are those of manifest.json in @anthropic-ai/claude-agent-sdk 0.3.332;
// linux-x64 was also computed from the installed program. agents/package.json
// pins the same release for the tests.
func Claude() Pin {
	return Pin{
		Provider: "claude",
		Program:  "claude",
		Version:  "2.1.332",
		Package:  "@anthropic-ai/claude-agent-sdk-",
		Release:  "0.3.332",
		Builds: map[string]Build{
			"darwin-arm64":     {383795280, "5b8214f8f082f3187420b27b4063b9b4f4d9412cd66ea436d6d1966ad582700f"},
			"darwin-x64":       {397278064, "3ceb285194091d45b150561ac5d58ab5a58cddcdc6d086f883039a652c037cfa"},
			"linux-arm64":      {385475840, "50c305fcb8912851ce774429131d94ed6f84edbe3d8d0ed7a59dade5d893acc0"},
			"linux-arm64-musl": {373170864, "122dd3751257a9e769d8c08b19d16e45f3e86c43a09e18d7182fc01c81143246"},
			"linux-x64":        {402325736, "a2df1f41bb00250992926420d0063f89b127cb81abdd284dbefb80c50ff1d026"},
			"linux-x64-musl":   {386855640, "81f466623d672aed9504ad29b8bb2f240b24f3cc05c255054649250720a1900f"},
		},
	}
}

// Platforms lists the platforms that a pin has a program for, sorted.
func (p Pin) Platforms() []string {
	var names []string
	for n := range p.Builds {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// platform is this machine's name in the vendor's words.
func platform(musl bool) string {
	arch := strings.ReplaceAll(runtime.GOARCH, "amd64", "x64")
	if musl {
		return runtime.GOOS + "-" + arch + "-musl"
	}
	return runtime.GOOS + "-" + arch
}
