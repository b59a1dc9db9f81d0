package scripted

import (
	"embed"
	"strings"
)

// scenes is what the demo agent plays when a message has no directives: one text each, for "/demo NAME", with directives
// of its own. Adding a file adds a command.
//
//go:embed scenes/*.txt
var scenes embed.FS

// Scenes that are played when no other is asked for.
const (
	welcomeScene = "welcome" // to any text that is no command
	helpScene    = "help"    // to a command that does not exist
)

func scene(text string) Script {
	name := welcomeScene
	if words := strings.Fields(text); len(words) > 0 && words[0] == "/demo" {
		name = strings.Join(words[1:], " ")
	}
	script, err := scenes.ReadFile("scenes/" + name + ".txt")
	if err != nil {
		return scene("/demo " + helpScene)
	}
	return read(string(script), true)
}
