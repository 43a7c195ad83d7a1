package main

import (
	"time"

	"golang.org/x/sys/unix"

	"vyre/internal/shim/proto"
)

const (
	maxNewcomers = 4               // connections that did not say hello yet
	helloTime    = 2 * time.Second // within which they must
	maxOut       = 4 << 10         // a controller that does not read is not read from
	readTurns    = 32              // reads before others get their turn
)

// peer is one connection to the control socket.
type peer struct {
	fd    int
	until time.Time // for the hello
	in    [proto.HeaderLen + proto.MaxSmall]byte
	have  int
	body  incoming // of a frame that is being read
	out   []byte
}

func (p *peer) events() int16 {
	var e int16
	if len(p.out) < maxOut {
		e |= unix.POLLIN
	}
	if len(p.out) > 0 {
		e |= unix.POLLOUT
	}
	return e
}

// write sends what waits. False when the peer is gone.
func (p *peer) write() bool {
	for len(p.out) > 0 {
		n, err := ignoringEINTR(func() (int, error) { return unix.Write(p.fd, p.out) })
		if err == unix.EAGAIN {
			return true
		}
		if err != nil {
			return false
		}
		p.out = p.out[n:]
	}
	p.out = nil
	return true
}

func (p *peer) close() {
	p.body.drop()
	closeFD(&p.fd)
}

// send queues a message and writes what goes at once. A failure shows when the
// peer is read.
func (l *loop) send(p *peer, t proto.Type, id uint32, body []byte) {
	p.out = proto.AppendMessage(p.out, t, id, body)
	p.write()
}

func (l *loop) refuse(p *peer, id uint32, code proto.Code, text string) {
	l.send(p, proto.TypeErr, id, proto.Refusal{Code: code, Text: text}.Append(nil))
}

// adoptBoot makes the socketpair to the daemon that started us the first
// controller: whoever holds its other end gave us the token.
func (l *loop) adoptBoot(fd int, id uint32) {
	_ = unix.SetNonblock(fd, true)
	l.phase = proto.PhasePrepared
	l.ctl = &peer{fd: fd}
	l.pushed = l.status()
	l.send(l.ctl, proto.TypeOK, id, l.pushed.Append(l.ident.Append(nil)))
}

// acceptAll takes the connections that wait. One whose place is taken, or that
// may not control us, is refused at once.
func (l *loop) acceptAll() {
	for {
		fd, err := ignoringEINTR(func() (int, error) { return accept(l.listener) })
		if err != nil {
			return
		}
		p := &peer{fd: fd, until: l.now.Add(helloTime)}
		switch {
		case !allowed(fd):
			l.refuse(p, 0, proto.CodeDenied, "this peer may not control the session")
			p.close()
		case !l.seat(p):
			l.refuse(p, 0, proto.CodeBusy, "too many peers said no hello yet")
			p.close()
		}
	}
}

func (l *loop) seat(p *peer) bool {
	for i := range l.newcomers {
		if l.newcomers[i] == nil {
			l.newcomers[i] = p
			return true
		}
	}
	return false
}

func (l *loop) serveNewcomer(i int) {
	p := l.newcomers[i]
	if !l.read(p) && l.newcomers[i] == p {
		l.newcomers[i] = nil
		p.close()
	}
}

func (l *loop) serveController(revents int16) {
	p := l.ctl
	ok := true
	if revents&unix.POLLOUT != 0 {
		ok = p.write()
	}
	if ok && revents&^unix.POLLOUT != 0 {
		ok = l.read(p)
	}
	if !ok && l.ctl == p {
		l.dropController()
	}
}

func (l *loop) dropController() {
	l.ctl.close()
	l.ctl = nil
	l.alone = l.now
}

// read takes what a peer sent. False when it is to be closed.
func (l *loop) read(p *peer) bool {
	for range readTurns {
		if len(p.out) >= maxOut {
			return true
		}
		target := p.in[p.have:]
		if p.body.open() {
			target = p.body.target(l.scratch[:])
		}
		n, err := ignoringEINTR(func() (int, error) { return unix.Read(p.fd, target) })
		if err == unix.EAGAIN {
			return true
		}
		if err != nil || n == 0 {
			return false
		}
		if p.body.open() {
			if p.body.advance(n) {
				l.frameRead(p)
			}
			continue
		}
		p.have += n
		if !l.parse(p) {
			return false
		}
		if p.fd == 0 || l.reason != 0 {
			return true // replaced, or the program ends
		}
	}
	return true
}

// parse handles the whole messages that were read. False to close the peer.
func (l *loop) parse(p *peer) bool {
	b := p.in[:p.have]
	for len(b) >= proto.HeaderLen && l.reason == 0 {
		t, id, n, err := proto.ParseHeader(b)
		if err != nil || (t != proto.TypeFrame && n > proto.MaxSmall) {
			l.refuse(p, id, proto.CodeMalformed, "no message of this protocol")
			return false
		}
		if t == proto.TypeFrame && p == l.ctl {
			if len(b) < proto.HeaderLen+8 {
				break
			}
			used, ok := l.beginFrame(p, id, n, b[proto.HeaderLen:])
			if !ok {
				return false
			}
			b = b[proto.HeaderLen+used:]
			continue
		}
		if len(b) < proto.HeaderLen+n {
			break
		}
		if !l.handle(p, t, id, b[proto.HeaderLen:proto.HeaderLen+n]) {
			return false
		}
		b = b[proto.HeaderLen+n:]
	}
	p.have = copy(p.in[:], b)
	return true
}
