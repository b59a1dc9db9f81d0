// Package frontend holds the page, as built by vite.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Page gives the files of the page. A program that was compiled before the page was built has one file, index.html,
// which says so.
func Page() fs.FS {
	dir := "dist/app"
	if _, err := fs.Stat(dist, dir+"/index.html"); err != nil {
		dir = "dist"
	}
	page, err := fs.Sub(dist, dir)
	if err != nil {
		panic(err) // never: both are valid paths
	}
	return page
}
