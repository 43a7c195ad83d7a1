// Package sweep notices when a protected file of a session's folder changes or appears.
//
// # Owns
//
// Watching the folders that hold such files, through the system's own notices
// (github.com/fsnotify/fsnotify), and what those files were: it compares digests, so a
// file that was written with the bytes it had is no change. It must not know threads or
// who changed what: the kernel does not tell, and the time alone would blame the wrong
// call. Which names are protected is handed in.
//
// # Bounds
//
// The session's folder itself and the folders of settings in it are watched, not the
// tree; no file is read but a protected one that a notice names. At most maxFolders
// folders and files of maxFile bytes: what is beyond is not watched, and the look at a
// folder before each start (internal/trust) sees it all the same.
//
// # Goroutines and guarantees
//
// Watch starts one goroutine, which the returned stop ends and waits for. tell runs on it,
// one call at a time, with what changed since the last. A folder that can't be watched is
// an error and nothing is watched.
//
// # Testing against it
//
// Make a folder and change it.
package sweep
