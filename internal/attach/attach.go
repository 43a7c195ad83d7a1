package attach

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vyre"
)

// MaxSize is the largest file, in bytes.
const MaxSize = 20 << 20

// Grace is how long an attachment stays that no message names.
const Grace = 24 * time.Hour

// Store keeps attachments. Its methods may be called from any goroutine.
type Store struct {
	dir string
	now func() time.Time
	mu  sync.Mutex // held while an attachment is touched or removed
}

// New makes a store in a folder that exists and is private to the user.
func New(dir string, now func() time.Time) *Store { return &Store{dir: dir, now: now} }

// Put keeps bytes under a name. media may be empty; a picture's is always what its
// bytes say. Errors: invalid (name, media_type, data), too_large, no_space.
func (s *Store) Put(_ context.Context, name, media string, data []byte) (vyre.Attachment, error) {
	if err := checkName(name); err != nil {
		return vyre.Attachment{}, err
	}
	if len(data) == 0 {
		return vyre.Attachment{}, vyre.Invalid("data", "the file is empty")
	}
	if len(data) > MaxSize {
		return vyre.Attachment{}, tooLarge()
	}
	media, err := mediaType(name, media, data)
	if err != nil {
		return vyre.Attachment{}, err
	}
	a := vyre.Attachment{ID: idOf(name, media, data), Name: name, MediaType: media, Size: int64(len(data))}
	s.mu.Lock()
	defer s.mu.Unlock()
	if have, err := s.meta(a.ID); err == nil && have == a {
		return a, s.touch(a.ID)
	}
	return a, s.write(a, data)
}

// PutPath copies a file of this machine. Errors as for Put, and invalid (path).
func (s *Store) PutPath(ctx context.Context, path, name, media string) (vyre.Attachment, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return vyre.Attachment{}, vyre.Invalid("path", "the path of a file is absolute")
	}
	if name == "" {
		name = filepath.Base(path)
	}
	data, err := read(path)
	if err != nil {
		return vyre.Attachment{}, err
	}
	return s.Put(ctx, name, media, data)
}

// read opens without waiting (a FIFO has no writer) and reads a regular file alone.
func read(path string) ([]byte, error) {
	before, err := os.Stat(path)
	if err != nil {
		return nil, vyre.Invalid("path", "there is no file that can be read")
	}
	if !before.Mode().IsRegular() { // a device is not even opened
		return nil, vyre.Invalid("path", "this is no regular file")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, vyre.Invalid("path", "this file can't be read")
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return nil, vyre.Invalid("path", "this is no regular file")
	}
	if st.Size() > MaxSize {
		return nil, tooLarge()
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, vyre.Invalid("path", "this file can't be read")
	}
	return data, nil
}

// Get returns what is known of attachments and keeps them for the grace period.
// Errors: not_found.
func (s *Store) Get(_ context.Context, ids []string) ([]vyre.Attachment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]vyre.Attachment, 0, len(ids))
	for _, id := range ids {
		a, err := s.meta(id)
		if err != nil {
			return nil, vyre.NotFound("attachment", id).WithHint("Attach the file again: one that no message names is kept for a day.")
		}
		if err := s.touch(id); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// Open returns where an attachment lies and, with data, its bytes. Errors: not_found.
func (s *Store) Open(_ context.Context, a vyre.Attachment, data bool) (path string, b []byte, err error) {
	if !vyre.ValidID(a.ID) || checkName(a.Name) != nil {
		return "", nil, vyre.NotFound("attachment", a.ID)
	}
	path = filepath.Join(s.dir, a.ID, "file", a.Name)
	if !data {
		if _, err := os.Lstat(path); err != nil {
			return "", nil, vyre.NotFound("attachment", a.ID)
		}
		return path, nil, nil
	}
	root, err := os.OpenRoot(filepath.Join(s.dir, a.ID))
	if err != nil {
		return "", nil, vyre.NotFound("attachment", a.ID)
	}
	defer root.Close()
	if b, err = root.ReadFile("file/" + a.Name); err != nil || len(b) > MaxSize {
		return "", nil, vyre.NotFound("attachment", a.ID)
	}
	return path, b, nil
}

// Remove removes attachments that nobody names any more.
func (s *Store) Remove(_ context.Context, ids []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, id := range ids {
		if vyre.ValidID(id) {
			errs = append(errs, os.RemoveAll(filepath.Join(s.dir, id)))
		}
	}
	return errors.Join(errs...)
}

// Sweep removes what no message names and nobody looked up within the grace period.
func (s *Store) Sweep(_ context.Context, used map[string]bool) (removed int, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, e := range entries {
		mine := vyre.ValidID(e.Name()) || strings.HasPrefix(e.Name(), tempPrefix)
		if !mine || used[e.Name()] {
			continue
		}
		s.mu.Lock()
		st, err := e.Info()
		if err == nil && s.now().Sub(st.ModTime()) > Grace {
			errs = append(errs, os.RemoveAll(filepath.Join(s.dir, e.Name())))
			removed++
		}
		s.mu.Unlock()
	}
	return removed, errors.Join(errs...)
}

const tempPrefix = ".new-"

// write makes the attachment's folder whole under another name and renames it.
func (s *Store) write(a vyre.Attachment, data []byte) error {
	meta, err := json.Marshal(a)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(s.dir, tempPrefix+"*")
	if err != nil {
		return noRoom(err)
	}
	defer func() { _ = os.RemoveAll(tmp) }() // it is gone when all went well
	if err := os.Mkdir(filepath.Join(tmp, "file"), 0o700); err != nil {
		return noRoom(err)
	}
	for name, b := range map[string][]byte{"meta.json": meta, "file/" + a.Name: data} {
		if err := writeFile(filepath.Join(tmp, name), b); err != nil {
			return noRoom(err)
		}
	}
	to := filepath.Join(s.dir, a.ID)
	if err := os.RemoveAll(to); err != nil { // damaged, as meta says something else
		return noRoom(err)
	}
	if err := os.Rename(tmp, to); err != nil {
		return noRoom(err)
	}
	d, err := os.Open(s.dir)
	if err != nil {
		return noRoom(err)
	}
	return errors.Join(d.Sync(), d.Close())
}

func writeFile(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, bytes.NewReader(b))
	return errors.Join(err, f.Sync(), f.Close())
}

func (s *Store) meta(id string) (a vyre.Attachment, err error) {
	if !vyre.ValidID(id) {
		return a, fs.ErrNotExist
	}
	b, err := os.ReadFile(filepath.Join(s.dir, id, "meta.json"))
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err == nil && (a.ID != id || checkName(a.Name) != nil) {
		err = fs.ErrInvalid
	}
	if err == nil {
		_, err = os.Lstat(filepath.Join(s.dir, id, "file", a.Name))
	}
	return a, err
}

func (s *Store) touch(id string) error {
	return os.Chtimes(filepath.Join(s.dir, id), time.Time{}, s.now())
}

func idOf(name, media string, data []byte) string {
	h := sha256.New()
	_, _ = io.WriteString(h, name+"\x00"+media+"\x00") // a hash takes everything
	_, _ = h.Write(data)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:20]))
}

func tooLarge() error {
	return vyre.Errorf(vyre.CodeTooLarge, "an attachment has at most %d MiB", MaxSize>>20).
		WithHint("Put the file into the thread's folder and name its path in the message.")
}

func noRoom(err error) error {
	code := vyre.CodeUnavailable
	if errors.Is(err, errNoSpace) {
		code = vyre.CodeNoSpace
	}
	return vyre.Errorf(code, "the attachment can't be written").Because(err)
}
