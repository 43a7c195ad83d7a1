package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"vyre"
)

// Handler does a tool's work. The input was decoded strictly and the caller may
// use the tool; whether it may use it on this thing is the handler's to say,
// except for ReachSelf, where the registry has checked it. Errors should be
// *vyre.Error; any other becomes internal and is logged.
type Handler[In, Out any] func(ctx context.Context, c vyre.Caller, in In) (Out, error)

// ThreadReferrer is what the input of a tool of vyre.ReachSelf implements: it
// names the thread the call is about. A thread that names another is denied.
type ThreadReferrer interface{ ThreadRef() vyre.ThreadID }

// Registry holds the tools and the kinds of events.
type Registry struct {
	log      *slog.Logger
	prover   Prover   // or nil
	recorder Recorder // or nil
	clean    func(error) error
	tools    map[string]*tool
	events   map[vyre.Kind]*event
	faults   []error
}

// Option changes a Registry that is being made.
type Option func(*Registry)

// WithLog sets where faults of handlers are told. Without it they are dropped.
func WithLog(l *slog.Logger) Option { return func(r *Registry) { r.log = l } }

// WithClean sets what takes secrets out of errors before a caller or the log has them.
func WithClean(f func(error) error) Option { return func(r *Registry) { r.clean = f } }

// New returns an empty registry.
func New(options ...Option) *Registry {
	r := &Registry{
		log:    slog.New(slog.DiscardHandler),
		clean:  func(err error) error { return err },
		tools:  map[string]*tool{},
		events: map[vyre.Kind]*event{},
	}
	for _, o := range options {
		o(r)
	}
	return r
}

// tool is a declared tool with its types erased. Shape and schemas are made at
// first use.
type tool struct {
	vyre.Tool
	in, out reflect.Type
	begin   func() (in any, h run)

	describe          func(ctx context.Context, in any) (Shown, error) // or nil
	shape             func() *shape
	inSchema, outSchm func() *jsonschema.Schema
}

// toolName is what a tool may be called: at least two dotted words.
var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// Define declares a tool. A declaration that is wrong (a bad or doubled name, no
// summary, an unknown effect or reach, an input that is not a struct, a
// ReachSelf tool whose input names no thread, a type no schema can be made of)
// is collected and told by Check.
//
// What depends on the types is as little as it can be: it is compiled once for each
// tool.
func Define[In, Out any](r *Registry, t vyre.Tool, h Handler[In, Out]) {
	r.define(t, reflect.TypeFor[In](), reflect.TypeFor[Out](), h == nil, func() (any, run) {
		in := new(In)
		return in, func(ctx context.Context, c vyre.Caller) (any, error) {
			out, err := h(ctx, c, *in)
			return &out, err
		}
	})
}

// run is a handler with its input bound. out is a pointer to the output.
type run func(ctx context.Context, c vyre.Caller) (out any, err error)

// define is Define without its types. begin makes an input and the handler of it.
func (r *Registry) define(t vyre.Tool, in, out reflect.Type, noHandler bool, begin func() (in any, h run)) {
	d := &tool{Tool: t, in: in, out: out, begin: begin}
	d.shape = sync.OnceValue(func() *shape { return shapeOf(in) })
	d.inSchema = sync.OnceValue(func() *jsonschema.Schema { return mustSchema(inputSchema(in)) })
	d.outSchm = sync.OnceValue(func() *jsonschema.Schema { return mustSchema(outputSchema(out)) })
	if err := r.verify(d, noHandler); err != nil {
		r.faults = append(r.faults, err)
		return
	}
	r.tools[t.Name] = d
}

// verify says what is wrong with a declaration.
func (r *Registry) verify(d *tool, noHandler bool) error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("tool %q: "+format, append([]any{d.Name}, args...)...))
	}
	if !toolName.MatchString(d.Name) {
		bad("a name is dotted lower-case words")
	}
	if _, ok := r.tools[d.Name]; ok {
		bad("declared twice")
	}
	if d.Summary == "" {
		bad("no summary")
	}
	if !slices.Contains([]vyre.Effect{vyre.EffectRead, vyre.EffectWrite, vyre.EffectSpawn, vyre.EffectAdmin}, d.Effect) {
		bad("unknown effect %q", d.Effect)
	}
	if _, ok := reach[d.Reach]; !ok {
		bad("unknown reach %q", d.Reach)
	}
	if noHandler {
		bad("no handler")
	}
	if d.in.Kind() != reflect.Struct || d.out.Kind() != reflect.Struct {
		bad("input and output are structs")
	} else if d.Reach == vyre.ReachSelf && !reflect.PointerTo(d.in).Implements(reflect.TypeFor[ThreadReferrer]()) {
		bad("its reach is self, so its input must have the method ThreadRef")
	}
	return errors.Join(errs...)
}

// Check returns everything that is wrong with the declarations at once, or nil.
// It is cheap: a daemon calls it at every start.
func (r *Registry) Check() error { return errors.Join(r.faults...) }

// CheckSchemas makes every schema and says which type can't have one. It is for
// tests and generators: a daemon's start uses Check alone.
func (r *Registry) CheckSchemas() error {
	errs := []error{r.Check()}
	for _, e := range r.Tools() {
		_, err := inputSchema(e.def.in)
		errs = append(errs, err)
		_, err = outputSchema(e.def.out)
		errs = append(errs, err)
	}
	for _, e := range r.Events() {
		_, err := outputSchema(e.def.data)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Entry is one tool, as shown to those who list them. Its schemas are shared:
// nobody changes them.
type Entry struct {
	vyre.Tool
	Callers []vyre.CallerKind // the kinds that may call it, in the order of vyre.CallerKinds

	def *tool
}

// In is the schema of the input, made at first use.
func (e Entry) In() *jsonschema.Schema { return e.def.inSchema() }

// Out is the schema of the output, made at first use.
func (e Entry) Out() *jsonschema.Schema { return e.def.outSchm() }

// Tools returns every tool, sorted by name.
func (r *Registry) Tools() []Entry {
	out := make([]Entry, 0, len(r.tools))
	for _, name := range sortedKeys(r.tools) {
		d := r.tools[name]
		out = append(out, Entry{Tool: d.Tool, Callers: callersOf(d.Reach), def: d})
	}
	return out
}

// Tool returns one tool by its name.
func (r *Registry) Tool(name string) (Entry, bool) {
	d, ok := r.tools[name]
	if !ok {
		return Entry{}, false
	}
	return Entry{Tool: d.Tool, Callers: callersOf(d.Reach), def: d}, true
}
