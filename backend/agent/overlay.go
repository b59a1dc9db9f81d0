package agent

// Overlay is what a request says about its agent: it wins over the stored one. Nil fields are inherited.
type Overlay struct {
	Name, Model, Provider, SystemPrompt *string
	Permissions                         *PermissionPolicy
	Tools                               *[]string
	ClientTools                         *[]ClientToolSpec
}

// Over gives spec as the request wants it.
func (o Overlay) Over(spec Spec) Spec {
	replace(&spec.Name, o.Name)
	replace(&spec.Model, o.Model)
	replace(&spec.Provider, o.Provider)
	replace(&spec.SystemPrompt, o.SystemPrompt)
	replace(&spec.Permissions, o.Permissions)
	replace(&spec.Tools, o.Tools)
	replace(&spec.ClientTools, o.ClientTools)
	return spec
}

func replace[T any](field *T, with *T) {
	if with != nil {
		*field = *with
	}
}
