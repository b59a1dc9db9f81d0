package session

import (
	"context"
	"reflect"

	"parley/backend/agent"
	"parley/backend/policy"
	"parley/backend/store"
)

// launch translates an agent as it is in a mode, or says that there is no such mode or that its harness cannot hold it.
func (s *Sessions) launch(spec agent.Spec, mode agent.Mode) (agent.Launch, error) {
	harness, err := s.Harness(spec.Harness)
	if err != nil {
		return agent.Launch{}, err
	}
	spec.Permissions.Mode = mode
	spec.Permissions.Rules = policy.For(spec.Permissions)
	return harness.Launch(spec)
}

// follow lets the turn that runs, if there is one, follow a change of its session's mode.
func (s *Sessions) follow(ctx context.Context, session store.Session) {
	s.mu.Lock()
	t := s.turns[session.Key]
	s.mu.Unlock()
	if t == nil {
		return
	}
	t.mu.Lock()
	t.wanted = session.Mode
	t.mu.Unlock()
	s.bind(ctx, t, session.Agent)
}

// bind lets the calls of a turn be decided by the mode that its person wants, once there is an agent to be told, and keeps whether
// that holds. A program that was started for another mode decides a part by itself, until it is started anew.
func (s *Sessions) bind(ctx context.Context, t *Turn, spec agent.Spec) {
	t.binding.Lock()
	defer t.binding.Unlock()
	t.mu.Lock()
	conn, host, began, wanted := t.conn, t.host, t.began, t.wanted
	t.mu.Unlock()
	if host == nil || wanted == "" {
		return
	}
	before, err := s.launch(spec, began)
	now, failed := s.launch(spec, wanted)
	if err != nil || failed != nil { // both were checked when they were chosen
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeLimit) // it holds also for who does not wait for that
	defer cancel()
	host.permit(ctx, now.PermissionPolicy, now.Rules)
	permitter, ok := conn.(agent.Permitter)
	if !ok {
		return
	}
	holds := permitter.Permit(ctx, now.PermissionPolicy, now.Rules) && reflect.DeepEqual(before.Program, now.Program)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.keeps = !holds
}

// KeepsMode reports whether a turn runs in the session that the mode which was chosen meanwhile does not hold for.
func (s *Sessions) KeepsMode(key agent.SessionKey) bool {
	s.mu.Lock()
	t := s.turns[key]
	s.mu.Unlock()
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keeps
}
