// Command parley opens Parley.
package main

import (
	"os"

	"parley/app"
)

func main() { os.Exit(app.Main(os.Args[1:])) }
