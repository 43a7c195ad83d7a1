package proto

import (
	"encoding/binary"
	"errors"
)

// Limits of the wire, in bytes.
const (
	HeaderLen = 9                     // u32 length of the body, u8 type, u32 id
	MaxFrame  = 64 << 20              // one input frame
	MaxBody   = MaxFrame + frameFixed // the longest body that is read at all
	MaxSmall  = 4 << 10               // the longest body of a controller's message other than frame and spec
)

const frameFixed = 8

// Type says what a message is. Below 64 it goes to the parent, above it comes from it.
type Type uint8

// The messages. docs/shim-protocol.md gives their bodies.
const (
	TypeSpec      Type = 1 // only first, and only on the inherited socketpair
	TypeHello     Type = 2 // first on the control socket
	TypeGo        Type = 3
	TypeFrame     Type = 4
	TypeSignal    Type = 5
	TypeStatus    Type = 6
	TypeRelease   Type = 7
	TypeEnd       Type = 8
	TypeCommitted Type = 9

	TypeOK   Type = 65 // answers a message by its id
	TypeErr  Type = 66 // refuses a message by its id
	TypeNote Type = 67 // the status changed; id 0
	TypeBye  Type = 68 // the last message of a connection; id 0
)

// ErrMalformed is returned for bytes that are no message of this protocol.
var ErrMalformed = errors.New("malformed message")

// AppendHeader appends the header of a message whose body has n bytes.
func AppendHeader(b []byte, t Type, id uint32, n int) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(n))
	b = append(b, byte(t))
	return binary.BigEndian.AppendUint32(b, id)
}

// AppendMessage appends a whole message.
func AppendMessage(b []byte, t Type, id uint32, body []byte) []byte {
	return append(AppendHeader(b, t, id, len(body)), body...)
}

// ParseHeader reads a header. n is the length of the body that follows.
func ParseHeader(b []byte) (t Type, id uint32, n int, err error) {
	if len(b) < HeaderLen {
		return 0, 0, 0, ErrMalformed
	}
	l := binary.BigEndian.Uint32(b)
	if l > MaxBody {
		return 0, 0, 0, ErrMalformed
	}
	return Type(b[4]), binary.BigEndian.Uint32(b[5:]), int(l), nil
}

// fields reads the fields of a body one after the other. Bytes after the last
// known field are left alone: a later version may add some.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) take(n int) []byte {
	if f.bad || n < 0 || len(f.b) < n {
		f.bad = true
		return nil
	}
	v := f.b[:n]
	f.b = f.b[n:]
	return v
}

func (f *fields) u8() uint8 {
	if v := f.take(1); v != nil {
		return v[0]
	}
	return 0
}

func (f *fields) u16() uint16 {
	if v := f.take(2); v != nil {
		return binary.BigEndian.Uint16(v)
	}
	return 0
}

func (f *fields) u32() uint32 {
	if v := f.take(4); v != nil {
		return binary.BigEndian.Uint32(v)
	}
	return 0
}

func (f *fields) u64() uint64 {
	if v := f.take(8); v != nil {
		return binary.BigEndian.Uint64(v)
	}
	return 0
}

// bytes is a u32 length and that many bytes; the slice points into the body.
func (f *fields) bytes() []byte {
	n := f.u32()
	if uint64(n) > uint64(len(f.b)) {
		f.bad = true
		return nil
	}
	return f.take(int(n))
}

func (f *fields) str() string { return string(f.bytes()) }

func (f *fields) list() [][]byte {
	n := f.u32()
	if uint64(n)*4 > uint64(len(f.b)) {
		f.bad = true
		return nil
	}
	l := make([][]byte, 0, n)
	for range n {
		l = append(l, f.bytes())
	}
	return l
}

func (f *fields) err() error {
	if f.bad {
		return ErrMalformed
	}
	return nil
}

func appendBytes[T string | []byte](b []byte, v T) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(v)))
	return append(b, v...)
}

func appendList[T string | []byte](b []byte, l []T) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(l)))
	for _, v := range l {
		b = appendBytes(b, v)
	}
	return b
}
