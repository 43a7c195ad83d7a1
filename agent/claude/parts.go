package claude

import (
	"encoding/base64"
	"strings"

	"vyre"
	"vyre/agent"
)

// pictures are the media types that the model's service takes as they are.
var pictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// contentOf is a message's content: its text alone, or blocks where it carries
// pictures. Any other file is named by its path, for the agent to read.
func contentOf(s agent.Send) (any, error) {
	text := s.Text
	var blocks []object
	for _, p := range s.Parts {
		switch {
		case pictures[p.MediaType] && len(p.Data) > 0:
			blocks = append(blocks, object{"type": "image", "source": object{
				"type": "base64", "media_type": p.MediaType, "data": base64.StdEncoding.EncodeToString(p.Data),
			}})
		case p.Path == "" || strings.ContainsAny(p.Path, "\x00\n"):
			return nil, vyre.Invalid("parts", "%q is neither a picture that Claude Code takes (PNG, JPEG, GIF, WebP) nor a file with a path", p.Name)
		default:
			text += "\n\nAttached file: " + p.Path
		}
	}
	if len(blocks) == 0 {
		return text, nil
	}
	if text = strings.TrimSpace(text); text != "" {
		blocks = append([]object{{"type": "text", "text": text}}, blocks...)
	}
	return blocks, nil
}
