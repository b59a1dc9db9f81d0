package redact

// words finds every one of a set of words while it reads a text once, byte by byte (Aho and Corasick, 1975). What it has read is
// a node: the longest end of the text that a word begins with.
type words struct {
	nodes  []node
	tables [][256]int32
}

// node is the beginning of a word.
type node struct {
	depth   int32
	word    int32 // the longest word that ends here, and its number + 1
	length  int32 // of that word
	fail    int32 // the longest end of this one that a word begins with
	child   int32 // the first of those that are one byte longer, 0 if there is none; the others are its siblings
	sibling int32
	table   int32 // where to go for each byte, its number + 1; 0 if it is to be looked for
	last    byte
}

// manyChildren is from how many on a node has a table: a kilobyte each, and a search less.
const manyChildren = 4

// add adds the next word.
func (w *words) add(text string, number int) {
	if w.nodes == nil {
		w.nodes = []node{{}}
	}
	at := int32(0)
	for i := range len(text) {
		next := w.find(at, text[i])
		if next == 0 {
			next = int32(len(w.nodes))
			w.nodes = append(w.nodes, node{depth: int32(i + 1), last: text[i], sibling: w.nodes[at].child})
			w.nodes[at].child = next
		}
		at = next
	}
	if n := &w.nodes[at]; n.word == 0 {
		n.word, n.length = int32(number+1), n.depth
	}
}

// find gives the child of a node for a byte, or 0.
func (w *words) find(at int32, b byte) int32 {
	for c := w.nodes[at].child; c != 0; c = w.nodes[c].sibling {
		if w.nodes[c].last == b {
			return c
		}
	}
	return 0
}

// link makes the words ready to be found, once all were added.
func (w *words) link() {
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		children := 0
		for c := w.nodes[at].child; c != 0; c = w.nodes[c].sibling {
			children++
			n := &w.nodes[c]
			if at != 0 {
				n.fail = w.next(w.nodes[at].fail, n.last)
			}
			if end := w.nodes[n.fail]; n.word == 0 {
				n.word, n.length = end.word, end.length
			}
			queue = append(queue, c)
		}
		if at != 0 && children < manyChildren {
			continue
		}
		var table [256]int32
		for b := range table {
			if table[b] = w.find(at, byte(b)); table[b] == 0 && at != 0 {
				table[b] = w.next(w.nodes[at].fail, byte(b))
			}
		}
		w.tables = append(w.tables, table)
		w.nodes[at].table = int32(len(w.tables))
	}
}

// next gives the node after one more byte.
func (w *words) next(at int32, b byte) int32 {
	for {
		n := &w.nodes[at]
		if n.table != 0 {
			return w.tables[n.table-1][b]
		}
		for c := n.child; c != 0; c = w.nodes[c].sibling {
			if w.nodes[c].last == b {
				return c
			}
		}
		at = n.fail
	}
}
