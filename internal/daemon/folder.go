package daemon

import (
	"os"

	"vyre"
)

// folderThere refuses to work in a folder that is gone: a person says where it is
// now, and no other is taken for it.
func folderThere(path string) error {
	st, err := os.Stat(path)
	if err == nil && st.IsDir() {
		return nil
	}
	return vyre.Errorf(vyre.CodeUnavailable, "the thread's folder %s is not there", path).
		WithHint("Put it back, or say where it is now: vyre resume THREAD --cwd FOLDER.").WithDetail("cwd", path).Because(err)
}
