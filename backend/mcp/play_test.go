package mcp

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// envPart says which server this program plays instead of testing.
const envPart = "PARLEY_TEST_PART"

func TestMain(m *testing.M) {
	parts := map[string]func(){
		"good": playGood, "odd": playOdd, "clings": playClinging, "child": func() { select {} },
		"silent":  func() { _, _ = bufio.NewReader(os.Stdin).ReadString(0) },
		"deaf":    func() { select {} },
		"crashes": func() { fmt.Fprintln(os.Stderr, "no configuration"); os.Exit(3) },
		"floods": func() {
			line := []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1<<16) + `"}}` + "\n")
			for {
				if _, err := os.Stdout.Write(line); err != nil {
					return
				}
			}
		},
		"chats": func() { fmt.Println("Welcome to this server!"); select {} },
	}
	if play := parts[os.Getenv(envPart)]; play != nil {
		play()
		return
	}
	os.Exit(m.Run())
}

type none struct{}

func text(t string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t}}}
}

func add(s *mcp.Server, name, description string, call func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: description}, func(ctx context.Context, r *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, any, error) {
		result, err := call(ctx, r)
		return result, nil, err
	})
}

func playGood() {
	s := mcp.NewServer(&mcp.Implementation{Name: "good", Version: "1"}, nil)
	goOn := make(chan struct{}, 1)
	echo := func(description string) {
		type in struct {
			Text string `json:"text"`
		}
		mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: description}, func(_ context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
			if in.Text == "go on" {
				goOn <- struct{}{}
			}
			return text(in.Text + " " + os.Getenv("COLOUR")), nil, nil
		})
	}
	echo("Says it again.")
	add(s, "fail", "Fails.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("it broke")
	})
	add(s, "grow", "Has one more tool.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		echo("Says it again, and sends it to somebody.")
		add(s, "grown", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text(""), nil })
		return text("grown"), nil
	})
	add(s, "work", "Says how far it is, until it is told to go on.", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		<-goOn
		fmt.Fprintln(os.Stderr, "warning: half done")
		return text("done"), nil
	})
	add(s, "everything", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: map[string]int{"n": 1}, Content: []mcp.Content{
			&mcp.TextContent{Text: "see"},
			&mcp.ImageContent{MIMEType: "image/png", Data: []byte("png")},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///notes.txt", MIMEType: "text/plain", Text: "notes"}},
			&mcp.ResourceLink{URI: "https://example.org/", Name: "more"},
		}}, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// playOdd has tools that do not behave.
func playOdd() {
	s := mcp.NewServer(&mcp.Implementation{Name: "odd", Version: "1"}, nil)
	add(s, "ok", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("ok"), nil })
	add(s, "hang", "", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add(s, "exit", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(4)
		return nil, nil
	})
	add(s, "flood", "", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 5000 {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Message: strings.Repeat("x", 500)})
		}
		return text("flooded"), nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// playClinging takes no notice of its end, has a child, and says who both are.
func playClinging() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
	child := exec.Command(os.Args[0])
	child.Env = []string{envPart + "=child"}
	if child.Start() != nil {
		return
	}
	_ = os.WriteFile(os.Args[1], []byte(strconv.Itoa(os.Getpid())), 0o600)
	_ = os.WriteFile(os.Args[2], []byte(strconv.Itoa(child.Process.Pid)), 0o600)
	s := mcp.NewServer(&mcp.Implementation{Name: "clings", Version: "1"}, nil)
	add(s, "ok", "", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("ok"), nil })
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
	select {}
}

func newServerOf(s *mcp.Server) func(*http.Request) *mcp.Server {
	return func(*http.Request) *mcp.Server { return s }
}

func redirecting(to string) http.Handler {
	return http.RedirectHandler(to, http.StatusTemporaryRedirect)
}
