package web

import (
	"io/fs"
	"testing"
)

// The package compiles and serves a folder whether or not the page was built.
func TestFilesAreRooted(t *testing.T) {
	files, built := Files()
	if _, err := fs.Stat(files, "README"); err != nil {
		t.Fatalf("the embedded folder is not rooted at static: %v", err)
	}
	if _, err := fs.Stat(files, "index.html"); (err == nil) != built {
		t.Fatalf("built is %v, index.html: %v", built, err)
	}
}
