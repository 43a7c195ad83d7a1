package main

import (
	"os"

	"golang.org/x/sys/unix"

	"vyre/internal/fail"
	"vyre/internal/shim/procs"
	"vyre/internal/shim/proto"
)

// readSpec waits for the one message that says what to do. ok is false when
// the daemon closed its end or sent anything else.
func readSpec(fd int) (s proto.Spec, id uint32, ok bool) {
	var head [proto.HeaderLen]byte
	if !readFull(fd, head[:]) {
		return s, 0, false
	}
	t, id, n, err := proto.ParseHeader(head[:])
	if err != nil || t != proto.TypeSpec {
		return s, 0, false
	}
	body := make([]byte, n)
	if !readFull(fd, body) {
		return s, 0, false
	}
	s, err = proto.ParseSpec(body)
	fail.Point("vyre-shim.spec")
	return s, id, err == nil
}

// setup leaves the record, listens, and tells the daemon who it is. After an
// error nothing of it is left.
func setup(s proto.Spec, id uint32) (*loop, error) {
	l := &loop{spec: s, umask: unix.Umask(0o077)}
	var err error
	if l.ident, err = identify(); err != nil {
		return nil, err
	}
	if err := l.writeRecord(procs.Proc{}); err != nil {
		return nil, err
	}
	fail.Point("vyre-shim.record")
	if err := l.open(); err != nil {
		l.removeTraces()
		return nil, err
	}
	fail.Point("vyre-shim.listen")
	l.adoptBoot(bootFD, id)
	return l, nil
}

// open makes what the loop polls: the socket, the signals' pipe, the spool.
func (l *loop) open() error {
	var err error
	if l.listener, err = listen(l.spec.Socket); err != nil {
		return err
	}
	if l.wake, err = watchSignals(&l.asked); err != nil {
		return err
	}
	return l.spool.open(l.spec.Dir, l.spec.Segment, l.spec.Bound)
}

func identify() (proto.Identity, error) {
	me, err := procs.Stat(os.Getpid())
	if err != nil {
		return proto.Identity{}, err
	}
	boot, err := procs.BootID()
	if err != nil {
		return proto.Identity{}, err
	}
	return proto.Identity{
		Version: proto.Version, PID: uint32(me.PID), PGID: uint32(me.PGID), SID: uint32(me.SID),
		StartTime: me.Start, BootID: boot,
	}, nil
}

// writeRecord leaves who we are, and who the agent is once it runs.
func (l *loop) writeRecord(agent procs.Proc) error {
	r := proto.Record{
		BootID: l.ident.BootID, PID: int(l.ident.PID), StartTime: l.ident.StartTime,
		Agent: agent.PID, AgentStart: agent.Start,
	}
	// Not synced: after a power cut the boot id differs and nothing of it holds.
	return replaceFile(l.spec.Dir, proto.RecordFile, r.JSON(), false)
}

func (l *loop) removeTraces() {
	_ = unix.Unlink(l.spec.Socket)
	_ = unix.Unlink(l.spec.Dir + "/" + proto.RecordFile)
}

func refuseBoot(fd int, id uint32, err error) {
	body := proto.Refusal{Code: proto.CodeSetup, Text: err.Error()}.Append(nil)
	_, _ = unix.Write(fd, proto.AppendMessage(nil, proto.TypeErr, id, body))
}
