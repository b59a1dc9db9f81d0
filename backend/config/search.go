package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"parley/backend/agent"
)

// ReadSearch reads which search engine is set up, in a file that a person writes: it is read anew each time.
func ReadSearch(path string) (*agent.Search, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, agent.Errorf(agent.CodeToolUnavailable, `The agent uses web_search, and no search engine is set up. Write %s, as {"url": "https://…", "api": "brave" or "searxng", "headers": {…}}, or take web_search out of the agent.`, path)
	}
	if err != nil {
		return nil, agent.Wrap(agent.CodeValidation, err, "What search engine is set up, "+path+", cannot be read.")
	}
	var s agent.Search
	if err := strictly(text, &s); err != nil {
		return nil, agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("What search engine is set up, %s, cannot be used: %v.", path, err))
	}
	return &s, s.Check()
}
