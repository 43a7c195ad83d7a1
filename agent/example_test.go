package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"

	"vyre"
	"vyre/agent"
	"vyre/agent/claude"
)

// One turn: the words as they come, and how it ended. What the agent asks is
// denied, since nobody is there to answer.
func ExampleQuery() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for ev, err := range agent.Query(ctx, claude.New(), "What is in this folder?", agent.WithCWD("/srv/project")) {
		if err != nil {
			log.Fatal(err) // *vyre.Error: unavailable, timeout or invalid
		}
		switch ev := ev.(type) {
		case agent.Text:
			fmt.Print(ev.Text)
		case agent.TurnEnded:
			fmt.Println("\nended:", ev.Status, ev.Error)
		}
	}
}

// A program that answers for itself: it lets the agent write files into one
// folder and denies the rest with a reason.
func ExampleWithAnswer() {
	answer := func(_ context.Context, q agent.Ask) agent.Answer {
		var call struct {
			File string `json:"file_path"`
		}
		if q.Tool == "Write" && json.Unmarshal(q.Input, &call) == nil && filepath.Dir(call.File) == "/srv/poems" {
			return agent.Answer{Decision: vyre.Allow}
		}
		return agent.Answer{Decision: vyre.Deny, Message: "Only files in /srv/poems may be written."}
	}
	for ev, err := range agent.Query(context.Background(), claude.New(), "Write a haiku into haiku.md",
		agent.WithCWD("/srv/poems"), agent.WithAnswer(answer)) {
		if err != nil {
			log.Fatal(err)
		}
		if item, ok := ev.(agent.Item); ok && item.Kind == vyre.ItemTool {
			fmt.Println(item.Title, item.Status)
		}
	}
}

// A conversation of several turns in one process. Here asks are events, and
// Answer takes the verdict.
func ExampleOpen() {
	ctx := context.Background()
	s, err := agent.Open(ctx, claude.New(), agent.WithCWD("/srv/project"), agent.WithMode(vyre.ModePlan))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Send("Plan the change."); err != nil {
		log.Fatal(err)
	}
	turns := 0
	for ev := range s.Events() {
		switch ev := ev.(type) {
		case agent.Text:
			fmt.Print(ev.Text)
		case agent.Ask:
			if err := s.Answer(ev, agent.Answer{Decision: vyre.Deny, Message: "Not yet."}); err != nil {
				log.Fatal(err)
			}
		case agent.Request: // nothing here serves it, and the agent waits
			if err := s.Say(agent.Refuse{Request: ev.Request, Why: "not served here"}); err != nil {
				log.Fatal(err)
			}
		case agent.TurnEnded:
			if turns++; turns == 2 {
				fmt.Println("\nresume it with agent.WithResume:", s.NativeID())
				return
			}
			if _, err := s.Send("Now in one sentence."); err != nil {
				log.Fatal(err)
			}
		case agent.Exited:
			log.Fatalf("the agent is gone: code %d %s", ev.Code, ev.Stderr)
		}
	}
}

// A hook that lets nothing run for a while, and a tool of this program.
func ExampleWithHooks() {
	hook := func(_ context.Context, h agent.Hook) agent.HookReply {
		if h.Tool == "Bash" {
			return agent.HookReply{Decision: vyre.Deny, Why: "Nothing may run during the release."}
		}
		return agent.HookReply{} // goes its way
	}
	tool := func(_ context.Context, c agent.ToolCall) (json.RawMessage, bool) {
		return json.RawMessage(`"order 7 is on its way"`), false
	}
	for ev, err := range agent.Query(context.Background(), claude.New(), "Where is order 7?",
		agent.WithHooks(hook, agent.HookPreTool),
		agent.WithTools(tool, agent.ToolSpec{Name: "look_up", Description: "Looks up an order."})) {
		if err != nil {
			log.Fatal(err)
		}
		if text, ok := ev.(agent.Text); ok {
			fmt.Print(text.Text)
		}
	}
}

// Going back before a message: a fork at the row above it.
func ExampleWithFork() {
	ctx, p := context.Background(), claude.New()
	row, err := p.Before(ctx, agent.Options{NativeID: "11111111-1111-4111-8111-111111111111", Env: os.Environ()}, "my-message")
	if err != nil {
		log.Fatal(err) // not_found, or conflict: it was compacted away
	}
	s, err := agent.Open(ctx, p, agent.WithFork("11111111-1111-4111-8111-111111111111", row))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	body, err := s.Do(ctx, agent.GetContext{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(body)) // an agent.ContextUsage
}
