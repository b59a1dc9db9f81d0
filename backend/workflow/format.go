package workflow

// Format is a form that a session is exported in.
type Format string

// The formats; the enum is closed.
const (
	Canvas   Format = "canvas"   // a workflow
	Markdown Format = "markdown" // for people
	HTML     Format = "html"     // for people, a page of its own
	JSONL    Format = "jsonl"    // its messages, as useChat has them
	Bundle   Format = "bundle"   // all of it, to be imported again
)

// Formats lists them, in the order in which a person reads them.
func Formats() []Format { return []Format{Canvas, Markdown, HTML, JSONL, Bundle} }

// Extension is how the name of such a file ends.
func (f Format) Extension() string {
	return map[Format]string{
		Canvas: Extension, Markdown: ".md", HTML: ".html", JSONL: ".jsonl", Bundle: ".parley.jsonl",
	}[f]
}

// MediaType is what such a file is.
func (f Format) MediaType() string {
	return map[Format]string{
		Canvas: "application/yaml", Markdown: "text/markdown", HTML: "text/html", JSONL: "application/jsonl", Bundle: "application/jsonl",
	}[f]
}
