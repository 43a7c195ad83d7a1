package registry

import (
	"encoding/json"
	"reflect"

	"vyre"
)

// Patterns of the identifiers that travel.
const (
	idPattern     = `^[a-z0-9_-]{1,64}$`
	idOrNone      = `^[a-z0-9_-]{0,64}$`
	turnPattern   = `^[a-z0-9_-]{1,64}:[1-9][0-9]{0,8}$`
	kindPattern   = `^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`
	base64Pattern = `^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`
)

// Enumerated is implemented by a module's own string type that has a closed list
// of values: the decoder holds it to them and the schema names them.
type Enumerated interface{ Enum() []string }

// Types that need more than their Go kind says.
var (
	rawType   = reflect.TypeFor[json.RawMessage]()
	bytesType = reflect.TypeFor[[]byte]()
	timeType  = reflect.TypeFor[vyre.Time]()
	turnType  = reflect.TypeFor[vyre.TurnID]()
	kindType  = reflect.TypeFor[vyre.Kind]()
	seqType   = reflect.TypeFor[vyre.Seq]()
)

// isID reports whether t is one of the identifiers of the id alphabet.
func isID(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[vyre.ThreadID](), reflect.TypeFor[vyre.ItemID](), reflect.TypeFor[vyre.AskID](), reflect.TypeFor[vyre.GrantID](),
		reflect.TypeFor[vyre.MessageID](), reflect.TypeFor[vyre.SessionID]():
		return true
	}
	return false
}

// enumOf returns the closed list of values of a string type, or nil.
func enumOf(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[vyre.Mode]():
		return words(vyre.Modes)
	case reflect.TypeFor[vyre.SlotKind]():
		return words(vyre.SlotKinds)
	case reflect.TypeFor[vyre.SlotState]():
		return words([]vyre.SlotState{vyre.SlotWaiting, vyre.SlotHeld, vyre.SlotReleased})
	case reflect.TypeFor[vyre.State]():
		return words(vyre.States)
	case reflect.TypeFor[vyre.StopReason]():
		return words(vyre.StopReasons)
	case reflect.TypeFor[vyre.Move]():
		return words(vyre.Moves)
	case reflect.TypeFor[vyre.AskKind]():
		return words(vyre.AskKinds)
	case reflect.TypeFor[vyre.AskState]():
		return words(vyre.AskStates)
	case reflect.TypeFor[vyre.Decision]():
		return words([]vyre.Decision{vyre.Allow, vyre.Deny})
	case reflect.TypeFor[vyre.Scope]():
		return words([]vyre.Scope{vyre.ScopeOnce, vyre.ScopeSession, vyre.ScopeProject})
	case reflect.TypeFor[vyre.ItemKind]():
		return words(vyre.ItemKinds)
	case reflect.TypeFor[vyre.ItemStatus]():
		return words(vyre.ItemStatuses)
	case reflect.TypeFor[vyre.By]():
		return words(vyre.Bys)
	case reflect.TypeFor[vyre.TurnStatus]():
		return words(vyre.TurnStatuses)
	case reflect.TypeFor[vyre.Origin]():
		return words([]vyre.Origin{vyre.OriginPerson, vyre.OriginAgent})
	case reflect.TypeFor[vyre.Via]():
		return words([]vyre.Via{vyre.ViaTurn, vyre.ViaSteer, vyre.ViaQueue, vyre.ViaResume})
	}
	return enumOfOther(t)
}

// enumOfOther covers the types that describe the registry itself, and modules'.
func enumOfOther(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[vyre.GrantKind]():
		return words(vyre.GrantKinds)
	case reflect.TypeFor[vyre.MessageState]():
		return words(vyre.MessageStates)
	case reflect.TypeFor[vyre.SessionState]():
		return words(vyre.SessionStates)
	case reflect.TypeFor[vyre.Purpose]():
		return words(vyre.Purposes)
	case reflect.TypeFor[vyre.CallerKind]():
		return words(vyre.CallerKinds)
	case reflect.TypeFor[vyre.Effect]():
		return words([]vyre.Effect{vyre.EffectRead, vyre.EffectWrite, vyre.EffectSpawn, vyre.EffectAdmin})
	case reflect.TypeFor[vyre.Reach]():
		return words([]vyre.Reach{vyre.ReachPerson, vyre.ReachSelf, vyre.ReachOwn, vyre.ReachAny})
	case reflect.TypeFor[vyre.Code]():
		var out []string
		for _, c := range vyre.Catalogue {
			out = append(out, string(c.Code))
		}
		return out
	}
	if t.Kind() == reflect.String && t.Implements(reflect.TypeFor[Enumerated]()) {
		return reflect.Zero(t).Interface().(Enumerated).Enum()
	}
	return nil
}

// words turns a list of a string type into strings.
func words[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = string(s)
	}
	return out
}

// mayBeEmpty reports whether an enumerated type is the empty string in outputs
// while nothing was decided yet.
func mayBeEmpty(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[vyre.Decision](), reflect.TypeFor[vyre.Scope](), reflect.TypeFor[vyre.Via](), reflect.TypeFor[vyre.Purpose]():
		return true
	}
	return false
}
