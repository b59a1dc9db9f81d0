package api

import (
	"net/http"
	"os"
	"path/filepath"

	"parley/backend/agent"
)

// ProjectFolder names a folder of this machine by its absolute path.
type ProjectFolder struct {
	Dir string `json:"dir"`
}

// Project is a folder's project, and the token that opens it and nothing else.
type Project struct {
	Project agent.ProjectID `json:"project"`
	Token   string          `json:"token"`
}

// openProject gives the same token for the same folder, by whichever path it is named.
func (d *Door) openProject(_ *http.Request, in ProjectFolder) (Project, error) {
	if !filepath.IsAbs(in.Dir) {
		return Project{}, agent.Errorf(agent.CodeValidation, "The path of a project must be absolute.")
	}
	dir, err := filepath.EvalSymlinks(in.Dir)
	if err != nil {
		return Project{}, errNoFolder
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Project{}, errNoFolder
	}
	project := agent.ProjectAt(dir)
	return Project{project, d.Bind(project, dir)}, nil
}

var errNoFolder = agent.Errorf(agent.CodeValidation, "This project cannot be opened: there is no such folder, or it cannot be read.")
