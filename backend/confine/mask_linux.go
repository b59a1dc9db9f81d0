package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"parley/backend/agent"
)

// maxNames is how many names of the working folder are looked at, those nearest to its top first: a start must not take long.
const maxNames = 10_000

// mask hides what may not be read in the working folder, and holds what may not be written as it is, in mounts of its own: Landlock
// allows a folder whole. That is so for what is there now; what a person puts into its place later is as any other file.
func (b Bounds) mask() error {
	if b.Folder == "" {
		return nil
	}
	nothing := filepath.Join(b.Temp, "nothing")
	if err := os.WriteFile(nothing, nil, 0); err != nil {
		return err
	}
	writes := slices.Contains(b.Write, b.Folder)
	looked := 0
	for folders := []string{b.Folder}; len(folders) > 0 && looked < maxNames; folders = folders[1:] {
		entries, _ := os.ReadDir(folders[0]) // what cannot be read here cannot be by the process either
		for _, e := range entries {
			looked++
			path, isLink := filepath.Join(folders[0], e.Name()), e.Type()&os.ModeSymlink != 0
			var err error
			switch {
			case isLink || isTemplate(e.Name()):
			case !agent.IsUnwritable(e.Name()):
				if e.IsDir() && e.Name() != "node_modules" {
					folders = append(folders, path)
				}
			case agent.IsUnreadable(e.Name()):
				err = hide(path, nothing, e.IsDir())
			case !writes:
			case e.IsDir() && e.Name() == ".git":
				err = fixRepository(path)
			default:
				err = fix(path)
			}
			if err != nil && !errors.Is(err, unix.ENOENT) { // it may have gone meanwhile
				return fmt.Errorf("protect %s: %w", path, err)
			}
		}
	}
	return nil
}

// isTemplate reports whether a file, such as .env.example, is there to be copied and filled in. Repositories hold them, and git
// fails over what it cannot read.
func isTemplate(name string) bool {
	return slices.Contains([]string{".example", ".sample", ".template", ".dist"}, filepath.Ext(name))
}

// hide puts nothing, which nobody may read, in the place of a file or a folder.
func hide(path, nothing string, isFolder bool) error {
	if isFolder {
		return unix.Mount("nothing", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=000")
	}
	if err := unix.Mount(nothing, path, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return readOnly(path)
}

// fix makes a file, or a folder with all that is in it, read-only.
func fix(path string) error {
	if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return readOnly(path)
}

func readOnly(path string) error {
	return unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// fixRepository fixes what of a repository says which programs git runs, and leaves the rest to git. The folder itself becomes a
// mount, and so cannot be moved aside for another.
func fixRepository(git string) error {
	if err := unix.Mount(git, git, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	_ = os.Mkdir(filepath.Join(git, "hooks"), 0o755) // or the process could make one, where it may
	return filepath.WalkDir(git, func(path string, e os.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil:
			return filepath.SkipDir
		case e.IsDir() && slices.Contains([]string{"objects", "refs", "logs", "lfs", "annex"}, name): // what there is most of
			return filepath.SkipDir
		case name == "hooks" && e.IsDir():
			if err := fix(path); err != nil {
				return err
			}
			return filepath.SkipDir
		case (name == "config" || name == "config.worktree") && e.Type().IsRegular():
			return fix(path)
		}
		return nil
	})
}
