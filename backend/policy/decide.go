package policy

import (
	"slices"

	"parley/backend/agent"
)

// Call is what is known of a call before it is run.
type Call struct {
	agent.ToolCall
	Action    agent.Action       // empty if it only reads
	Stated    []agent.Permission // what its tool says of itself, then the server that the tool is of; empty ones say nothing
	Protected bool               // it writes where only a person lets it
	Version   string             // of what its tool says of itself, if somebody else can change that; it has no space or bracket in it
	Foreign   bool               // its tool is somebody else's: whatever its arguments are called, they are not what a tool of ours is about
	Secrets   []string           // that its tool is given, by their slugs; then Version is of those too
}

// For gives the rules that a runner decides by in a mode, beside the mode's Policy: accept_edits is ask with a rule for edits,
// plan is deny with rules for reading.
func For(p agent.Permissions) agent.Rules {
	rules := p.Rules
	add := func(permission agent.Permission, actions ...agent.Action) {
		for _, a := range actions {
			rules.Rules = append(slices.Clip(rules.Rules), agent.Rule{Pattern: string(a), Permission: permission})
		}
	}
	switch p.Mode {
	case agent.ModeAcceptEdits:
		add(agent.Allow, agent.ActionWrite)
	case agent.ModePlan:
		if rules.Default == "" || rules.Default == agent.Allow {
			rules.Default = agent.AllowReads
		}
		add(agent.Deny, agent.ActionWrite, agent.ActionProcess, agent.ActionEgress)
	}
	return rules
}

// Decide says what becomes of a call: Allow, Ask or Deny. It is the one place that does, for our tools and for those of
// every program.
//
// A rule that denies has the first word. Then the first of these that says something: the tool itself, its server, the
// strictest rule that matches or the commands and hosts that are named, the default of the rules, the policy. What is protected asks
// even so, and what is given secrets, until the person has allowed it in its very version. What asks is denied where nobody may be
// asked, and allowed if the person did before; but what is protected, and what its tool wants to ask about each time, they allow
// once only.
func Decide(c Call, g agent.Grounds) agent.Permission {
	s := inspect(c)
	matching := strictest(s, g.Rules.Rules)
	switch {
	case matching == agent.Deny:
		return agent.Deny
	case matching == "" && s.clear && named(s, g.Rules):
		matching = agent.Allow
	}
	said := append(slices.Clone(c.Stated), matching, g.Default)
	i := slices.IndexFunc(said, func(p agent.Permission) bool { return p != "" })
	verdict := byPolicy(c, g.Policy)
	if i >= 0 && said[i] != agent.AllowReads {
		verdict = known(said[i])
	}
	if verdict == agent.Allow && (guarded(c, s) || len(c.Secrets) > 0) {
		verdict = agent.Ask
	}
	switch {
	case verdict != agent.Ask:
		return verdict
	case g.Policy == agent.PermissionDeny:
		return agent.Deny
	case repeats(c, s) && strictest(s, allowing(g.Allowed, c)) == agent.Allow:
		return agent.Allow
	}
	return agent.Ask
}

// named reports whether the rules name what a call is about.
func named(s subject, r agent.Rules) bool {
	if s.foreign {
		return false
	}
	switch s.action {
	case agent.ActionProcess:
		return runs(s.about, r)
	case agent.ActionEgress:
		return reaches(s.about, r)
	}
	return false
}

// guarded reports whether a call asks even where nothing else would: it is protected, or writes nobody knows where.
func guarded(c Call, s subject) bool {
	return c.Protected || c.Action == agent.ActionWrite && !s.clear
}

// Hides reports whether rules deny every call of a tool: then its model need not know of it.
func Hides(rules agent.Rules, tool string, action agent.Action) bool {
	return slices.ContainsFunc(rules.Rules, func(r agent.Rule) bool {
		p, ok := parse(r.Pattern)
		return ok && r.Permission == agent.Deny && !p.narrow && p.matches(subject{tool: tool, action: action}, false)
	})
}

// repeats reports whether an approval of a call may be for others like it.
func repeats(c Call, s subject) bool {
	i := slices.IndexFunc(c.Stated, func(p agent.Permission) bool { return p != "" })
	return !guarded(c, s) && (i < 0 || known(c.Stated[i]) != agent.Ask)
}

// byPolicy is what becomes of a call of which nothing else is said. Reading is free.
func byPolicy(c Call, p agent.PermissionPolicy) agent.Permission {
	switch {
	case c.Action == "" || p == agent.PermissionAuto:
		return agent.Allow
	case p == agent.PermissionDeny:
		return agent.Deny
	}
	return agent.Ask
}

// known gives p, or Ask if it is none of the list.
func known(p agent.Permission) agent.Permission {
	if p == agent.Allow || p == agent.Deny {
		return p
	}
	return agent.Ask
}

// allowing gives the rules that approvals are for a call. One that is given secrets needs those of its version.
func allowing(patterns []string, c Call) []agent.Rule {
	var rules []agent.Rule
	for _, text := range patterns {
		if p, ok := parse(text); len(c.Secrets) == 0 || ok && p.name == versioned(c) {
			rules = append(rules, agent.Rule{Pattern: text, Permission: agent.Allow})
		}
	}
	return rules
}

// strictest gives what the strictest of the matching rules says, or "". One that cannot be read asks about every call.
func strictest(s subject, rules []agent.Rule) agent.Permission {
	order := []agent.Permission{"", agent.Allow, agent.Ask, agent.Deny}
	most := 0
	for _, r := range rules {
		p, ok := parse(r.Pattern)
		permission := known(r.Permission)
		if !ok {
			p, permission = pattern{}, agent.Ask
		}
		if p.matches(s, permission == agent.Allow) {
			most = max(most, slices.Index(order, permission))
		}
	}
	return order[most]
}
