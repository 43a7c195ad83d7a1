package threads

import (
	"context"
	"slices"

	"vyre"
)

// Attachments keeps the files of messages. internal/attach implements it.
type Attachments interface {
	Put(ctx context.Context, name, media string, data []byte) (vyre.Attachment, error)
	PutPath(ctx context.Context, path, name, media string) (vyre.Attachment, error)
	Get(ctx context.Context, ids []string) ([]vyre.Attachment, error)
	Remove(ctx context.Context, ids []string) error
}

const (
	// maxAttach is how large the input of threads.attach may be: 20 MiB in base64.
	maxAttach = 28 << 20
	// maxAttachments is how many files one message may have.
	maxAttachments = 20
)

// AttachIn is the input of threads.attach: data, or the path of a file here.
type AttachIn struct {
	Thread    vyre.ThreadID `json:"thread,omitempty" jsonschema:"the thread it is meant for, if there is one already"`
	Name      string        `json:"name,omitempty" jsonschema:"the file's name; by default that of path"`
	MediaType string        `json:"media_type,omitempty" jsonschema:"what it is; a picture is told by its bytes"`
	Data      []byte        `json:"data,omitempty" jsonschema:"the bytes in base64, at most 20 MiB"`
	Path      string        `json:"path,omitempty" jsonschema:"instead of data: a file of this machine, absolute; it is copied"`
}

func (m *Module) attach(ctx context.Context, _ vyre.Caller, in AttachIn) (vyre.Attachment, error) {
	if (in.Path == "") == (len(in.Data) == 0) {
		return vyre.Attachment{}, vyre.Invalid("data", "give data or path")
	}
	if in.Thread != "" {
		if _, err := m.Store.Thread(ctx, in.Thread); err != nil {
			return vyre.Attachment{}, err
		}
	}
	if in.Path != "" {
		return m.Attachments.PutPath(ctx, in.Path, in.Name, in.MediaType)
	}
	return m.Attachments.Put(ctx, in.Name, in.MediaType, in.Data)
}

// attached finds the attachments that a message names.
func (m *Module) attached(ctx context.Context, c vyre.Caller, ids []string) ([]vyre.Attachment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if !c.IsPerson() {
		return nil, vyre.Errorf(vyre.CodeDenied, "only a person attaches files").
			WithHint("Name the file's path in the text.").WithDetail("field", "attachments")
	}
	if len(ids) > maxAttachments {
		return nil, vyre.Invalid("attachments", "at most %d", maxAttachments)
	}
	once := slices.Clone(ids)
	slices.Sort(once)
	if len(slices.Compact(once)) != len(ids) {
		return nil, vyre.Invalid("attachments", "a file goes with a message once")
	}
	return m.Attachments.Get(ctx, ids)
}
