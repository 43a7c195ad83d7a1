package redact

// automaton finds many patterns in one pass (Aho and Corasick). Nodes lie in one
// slice; a node's children are a list, as almost all have one. Node 0 is the start.
type automaton struct {
	nodes []node
	first [256]int32 // the start's children by byte
}

type node struct {
	child, next int32 // the first child, the next child of the same parent; 0: none
	fail        int32 // the longest proper end of this that is a start of a pattern
	depth       int32
	item        int32 // 1 + the item whose pattern ends here, or 0
	match       int32 // the longest pattern that ends here: its node, or 0
	b           byte
}

func newAutomaton() *automaton { return &automaton{nodes: make([]node, 1)} }

// add adds a pattern of an item. The first item that has a pattern keeps it.
func (a *automaton) add(pattern []byte, item int32) {
	at := int32(0)
	for _, b := range pattern {
		to := a.step(at, b)
		if to == 0 {
			to = int32(len(a.nodes))
			n := node{b: b, depth: a.nodes[at].depth + 1}
			if at == 0 {
				a.first[b] = to
			} else {
				n.next, a.nodes[at].child = a.nodes[at].child, to
			}
			a.nodes = append(a.nodes, n)
		}
		at = to
	}
	if at != 0 && a.nodes[at].item == 0 {
		a.nodes[at].item = item + 1
	}
}

// step returns the child of a node by a byte, or 0.
func (a *automaton) step(at int32, b byte) int32 {
	if at == 0 {
		return a.first[b]
	}
	for c := a.nodes[at].child; c != 0; c = a.nodes[c].next {
		if a.nodes[c].b == b {
			return c
		}
	}
	return 0
}

// link sets the ends that are starts, by breadth; nothing may be added after.
func (a *automaton) link() {
	var queue []int32
	for _, c := range a.first {
		if c != 0 {
			queue = append(queue, c)
		}
	}
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		n := &a.nodes[at]
		if n.match = a.nodes[n.fail].match; n.item != 0 {
			n.match = at
		}
		for c := n.child; c != 0; c = a.nodes[c].next {
			a.nodes[c].fail = a.next(n.fail, a.nodes[c].b)
			queue = append(queue, c)
		}
	}
}

// next returns the node after one more byte.
func (a *automaton) next(at int32, b byte) int32 {
	for {
		if to := a.step(at, b); to != 0 || at == 0 {
			return to
		}
		at = a.nodes[at].fail
	}
}
