package main

import (
	"golang.org/x/sys/unix"

	"vyre/internal/fail"
	"vyre/internal/shim/proto"
)

// mapFrom is the size from which a frame lies in pages of its own, which go
// back to the system at once; the heap would keep them.
const mapFrom = 32 << 10

// buffer holds a frame.
type buffer struct {
	b      []byte
	mapped bool
}

func newBuffer(n int) (buffer, error) {
	if n < mapFrom {
		return buffer{b: make([]byte, n)}, nil
	}
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	return buffer{b: b, mapped: true}, err
}

func (b *buffer) free() {
	if b.mapped {
		_ = unix.Munmap(b.b)
	}
	*b = buffer{}
}

// verdict says what becomes of a frame once its body was read.
type verdict uint8

const (
	accept1 verdict = iota + 1 // it is the next one: write it
	known                      // it was written before: acknowledge
	flying                     // it is being written: acknowledge when it is
	refused
)

// incoming is a frame whose body is being read from a controller. Only an
// accepted one is kept; of others the bytes are skipped.
type incoming struct {
	verdict verdict
	id      uint32
	number  uint64
	size    int
	got     int
	buf     buffer
	code    proto.Code
	text    string
}

func (i *incoming) open() bool { return i.verdict != 0 }

func (i *incoming) target(scratch []byte) []byte {
	if i.verdict == accept1 {
		return i.buf.b[i.got:]
	}
	return scratch[:min(len(scratch), i.size-i.got)]
}

func (i *incoming) advance(n int) (whole bool) {
	i.got += n
	return i.got == i.size
}

func (i *incoming) drop() {
	i.buf.free()
	*i = incoming{}
}

// frame is the one in flight to the agent.
type frame struct {
	number uint64 // 0: none
	buf    buffer
	done   int
	from   *peer // who waits for the acknowledgement
	id     uint32
}

func (f *frame) active() bool { return f.number != 0 }

// beginFrame looks at a frame's number; b is what was read of its body, and n
// the body's length. It returns how much of b it took.
func (l *loop) beginFrame(p *peer, id uint32, n int, b []byte) (used int, ok bool) {
	number, err := proto.ParseU64(b)
	if err != nil || n < 8 {
		l.refuse(p, id, proto.CodeMalformed, "frame")
		return 0, false
	}
	p.body = incoming{id: id, number: number, size: n - 8}
	l.judge(&p.body)
	if p.body.verdict == accept1 {
		if p.body.buf, err = newBuffer(p.body.size); err != nil {
			p.body.verdict, p.body.code, p.body.text = refused, proto.CodeBusy, "no memory for the frame"
		}
	}
	used = 8
	part := min(len(b)-8, p.body.size)
	if p.body.verdict == accept1 {
		copy(p.body.buf.b, b[8:8+part])
	}
	if p.body.advance(part) {
		l.frameRead(p)
	}
	return used + part, true
}

func (l *loop) judge(i *incoming) {
	switch {
	case i.number != 0 && i.number <= l.last:
		i.verdict = known
	case l.frame.active() && i.number == l.frame.number:
		i.verdict = flying
	case l.phase == proto.PhasePrepared:
		i.verdict, i.code, i.text = refused, proto.CodeOrder, "the agent was not let go"
	case l.agent.stdin == 0:
		i.verdict, i.code, i.text = refused, proto.CodeGone, "the agent's input is closed"
	case l.frame.active() || i.number != l.last+1:
		i.verdict, i.code, i.text = refused, proto.CodeOrder, "not the next frame"
	default:
		i.verdict = accept1
	}
}

// frameRead does what was decided, now that the body is whole.
func (l *loop) frameRead(p *peer) {
	i := p.body
	p.body = incoming{}
	switch i.verdict {
	case known:
		l.send(p, proto.TypeOK, i.id, nil)
	case flying:
		if l.frame.active() {
			l.frame.from, l.frame.id = p, i.id
			return
		}
		if i.number <= l.last {
			l.send(p, proto.TypeOK, i.id, nil)
			return
		}
		l.refuse(p, i.id, proto.CodeGone, "the agent's input is closed")
	case accept1:
		l.take(p, i)
	default:
		l.refuse(p, i.id, i.code, i.text)
	}
}

// take starts to write an accepted frame. While its body was read the agent
// may have gone.
func (l *loop) take(p *peer, i incoming) {
	if l.agent.stdin == 0 {
		i.buf.free()
		l.refuse(p, i.id, proto.CodeGone, "the agent's input is closed")
		return
	}
	l.frame = frame{number: i.number, buf: i.buf, from: p, id: i.id}
	l.feedAgent()
}

// feedAgent writes as much of the frame as the agent takes.
func (l *loop) feedAgent() {
	f := &l.frame
	for f.active() && f.done < len(f.buf.b) {
		n, err := ignoringEINTR(func() (int, error) { return unix.Write(l.agent.stdin, f.buf.b[f.done:]) })
		if err == unix.EAGAIN {
			return
		}
		if err != nil {
			l.closeInput("the agent closed its input")
			return
		}
		f.done += n
	}
	if !f.active() {
		return
	}
	fail.Point("vyre-shim.frame")
	l.last = f.number
	if l.ctl != nil && f.from == l.ctl {
		l.send(l.ctl, proto.TypeOK, f.id, nil)
	}
	f.buf.free()
	*f = frame{}
}

// closeInput ends the agent's stdin. A frame in flight is not known to be
// delivered, and its sender is told so.
func (l *loop) closeInput(why string) {
	closeFD(&l.agent.stdin)
	f := &l.frame
	if !f.active() {
		return
	}
	if l.ctl != nil && f.from == l.ctl {
		l.refuse(l.ctl, f.id, proto.CodeGone, why)
	}
	f.buf.free()
	*f = frame{}
}
