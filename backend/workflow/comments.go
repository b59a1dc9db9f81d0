package workflow

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// hasComments reports whether a file has any. The nodes do not tell of all of them; but what is a # in the file, and in no text
// that was read of it, begins one. A text may have a # by an escape too: where something looks like one, the answer is yes.
func hasComments(src []byte, root *yaml.Node) bool {
	return bytes.Count(src, []byte("#"))+len(hashEscape.FindAllIndex(src, -1)) > hashes(root)
}

var hashEscape = regexp.MustCompile(`\\(x|u00|U000000)23`)

// hashes counts those in the texts of a node.
func hashes(n *yaml.Node) int {
	count := strings.Count(n.Value, "#")
	for _, child := range n.Content {
		count += hashes(child)
	}
	return count
}
