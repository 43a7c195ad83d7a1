package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// version is the release whose protocol is spoken.
const version = "2.1.332"

type object = map[string]any

// peer is the running program.
type peer struct {
	session    string
	transcript string

	mu    sync.Mutex // guards what follows and the order of what is written
	out   *bufio.Writer
	asks  map[string]*ask // open ones
	stop  chan struct{}   // closed by an interrupt of the running turn; nil: none runs
	wait  int             // messages that wait for their turn
	cut   bool            // an interrupt came for the next of them
	mode  string
	turns chan message
}

// message is one of the person's.
type message struct{ ID, Text string }

// ask is one that waits for its answer.
type ask struct {
	line   object
	answer chan string // the behaviour
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Fprintln(os.Stdout, version+" (Claude Code)")
		return
	}
	if err := becomeReal(); err != nil {
		fmt.Fprintln(os.Stderr, "claudepeer:", err)
		return
	}
	p := &peer{out: bufio.NewWriter(os.Stdout), asks: map[string]*ask{}, mode: "default", turns: make(chan message, 1024)}
	for _, a := range os.Args[1:] {
		for _, flag := range []string{"--session-id=", "--resume="} {
			if id, ok := strings.CutPrefix(a, flag); ok {
				p.session = id
			}
		}
		if mode, ok := strings.CutPrefix(a, "--permission-mode="); ok {
			p.mode = mode
		}
	}
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" && p.session != "" {
		dir = filepath.Join(dir, "projects", "peer")
		if os.MkdirAll(dir, 0o700) == nil {
			p.transcript = filepath.Join(dir, p.session+".jsonl")
		}
	}
	go p.run()
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		over := len(line) > 1 && p.take(line)
		if over || err != nil {
			return // its input ended: so does the agent
		}
	}
}

// becomeReal becomes the program that $CLAUDEPEER_REAL names where the session's folder
// has a file "real-agent": so some threads of a load run on the real one.
func becomeReal() error {
	path := os.Getenv("CLAUDEPEER_REAL")
	if _, err := os.Stat("real-agent"); err == nil && path != "" {
		return syscall.Exec(path, append([]string{path}, os.Args[1:]...), os.Environ())
	}
	return nil
}

// id makes a random UUID.
func id() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// say writes one line. The caller holds mu.
func (p *peer) say(o object) {
	if _, ok := o["uuid"]; !ok {
		o["uuid"] = id()
	}
	o["session_id"] = p.session
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // plain data
	}
	_, _ = p.out.Write(append(b, '\n'))
	_ = p.out.Flush()
}

// tell is say for who does not hold mu.
func (p *peer) tell(o object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say(o)
}

// note adds a row to the transcript.
func (p *peer) note(kind, uuid, text string) {
	if p.transcript == "" {
		return
	}
	f, err := os.OpenFile(p.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	b, err := json.Marshal(object{"type": kind, "uuid": uuid, "sessionId": p.session, "message": object{"role": kind, "content": text}})
	if err == nil {
		_, _ = f.Write(append(b, '\n'))
	}
}
