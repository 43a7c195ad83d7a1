package engine

import (
	"context"

	"vyre"
	"vyre/agent"
)

// Attached finds the files of messages. internal/attach implements it.
type Attached interface {
	// Open returns where an attachment lies and, with data, its bytes. Errors:
	// not_found.
	Open(ctx context.Context, a vyre.Attachment, data bool) (path string, b []byte, err error)
}

// UserBody is the body of an item of kind user.
type UserBody struct {
	Message     vyre.MessageID    `json:"message"`
	Attachments []vyre.Attachment `json:"attachments,omitempty"`
}

// maxInline is how large a picture's bytes may be to go with the message itself;
// vendors refuse larger ones. All of a message's pictures together stay far below
// what a frame may have. Others are named by their path, for the agent to read.
const (
	maxInline    = 3_700_000 // 5 MB in base64
	maxInlineAll = 20 << 20
)

// toSay is a message in the words of the contract, with its files.
func (o *owner) toSay(m vyre.Message, steer bool) agent.Send {
	s := agent.Send{ID: m.SentAs(), Text: o.e.cfg.Redact.String(m.Text), Steer: steer}
	inline := int64(0)
	for _, a := range m.Attachments {
		p, ok := o.part(a, inline)
		if !ok {
			s.Text += "\n\n[The attached file " + a.Name + " is not there any more.]"
			continue
		}
		inline += int64(len(p.Data))
		s.Parts = append(s.Parts, p)
	}
	return s
}

func (o *owner) part(a vyre.Attachment, inline int64) (agent.Part, bool) {
	if o.e.cfg.Attached == nil {
		return agent.Part{}, false
	}
	data := picture(a.MediaType) && a.Size <= maxInline && inline+a.Size <= maxInlineAll
	path, b, err := o.e.cfg.Attached.Open(o.e.ctx, a, data)
	if err != nil {
		o.log.Warn("an attachment can't be read", "attachment", a.ID, "error", err)
		return agent.Part{}, false
	}
	return agent.Part{Name: a.Name, MediaType: a.MediaType, Path: path, Data: b}, true
}

// picture reports whether models look at a media type as it is.
func picture(t string) bool {
	switch t {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
