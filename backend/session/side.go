package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"parley/backend/agent"
)

// sideKey is what a side of a session goes by. A server has one of its own; all else that is given secrets shares one.
func sideKey(key agent.SessionKey, server string) agent.SessionKey {
	sum := sha256.Sum256([]byte(string(key.Session) + "\x00" + server))
	return agent.SessionKey{Project: key.Project, Session: agent.SessionID("side_" + hex.EncodeToString(sum[:16]))}
}

// sides knows which sides there may be of each session. One call at a time runs in each.
type sides struct {
	mu   sync.Mutex
	free map[agent.SessionKey]map[string]chan struct{} // by the server; holds one while nobody is in
}

func (s *sides) enter(ctx context.Context, key agent.SessionKey, server string) (leave func(), err error) {
	s.mu.Lock()
	if s.free == nil {
		s.free = map[agent.SessionKey]map[string]chan struct{}{}
	}
	if s.free[key] == nil {
		s.free[key] = map[string]chan struct{}{}
	}
	free := s.free[key][server]
	if free == nil {
		free = make(chan struct{}, 1)
		free <- struct{}{}
		s.free[key][server] = free
	}
	s.mu.Unlock()
	select {
	case <-free:
		return func() { free <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, agent.Wrap(agent.CodeCancelled, ctx.Err(), "It was stopped while another call was running.")
	}
}

// forget gives the servers of which a session had sides, which is "" for the one of all else.
func (s *sides) forget(key agent.SessionKey) (servers []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for server := range s.free[key] {
		servers = append(servers, server)
	}
	delete(s.free, key)
	return servers
}
