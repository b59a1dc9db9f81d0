// Package mcp speaks the Model Context Protocol.
package mcp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"reflect"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/tool"
)

// Server serves tools of ours to a program that is an agent of its own, on loopback and to who knows its token.
type Server struct {
	URL, Token string
	Listed     <-chan struct{} // closed once somebody has asked which tools there are

	server *http.Server
	cancel context.CancelFunc // of the calls that run
	served sync.WaitGroup

	offer   *mcp.Server
	handle  mcp.ToolHandler
	offered map[string]tool.Definition // by name; of who calls Offer
}

// Call runs a call, after it was decided; it may take days. It never fails: what goes wrong is a result.
type Call func(ctx context.Context, name string, input json.RawMessage) agent.ToolResult

// Serve serves tools at an address of loopback until Close.
func Serve(address string, tools []tool.Definition, call Call) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	life, cancel := context.WithCancel(context.Background())
	s := &Server{URL: "http://" + listener.Addr().String() + "/mcp", Token: rand.Text(), cancel: cancel, offered: map[string]tool.Definition{}}
	s.offer = mcp.NewServer(&mcp.Implementation{Name: "parley-tools", Version: "1"}, &mcp.ServerOptions{
		Instructions: tool.AboutResults, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	listed := make(chan struct{})
	s.Listed = listed
	once := sync.OnceFunc(func() { close(listed) })
	s.offer.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, r)
			if method == "tools/list" {
				once()
			}
			return result, err
		}
	})
	s.handle = func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, stop := context.WithCancel(ctx) // the SDK's own outlives the server
		defer stop()
		defer context.AfterFunc(life, stop)()
		result := call(ctx, r.Params.Name, r.Params.Arguments)
		return &mcp.CallToolResult{
			Content: []mcp.Content{&mcp.TextContent{Text: tool.Mark(result.Output, result.IsError, result.Denied)}},
			IsError: result.IsError || result.Denied,
		}, nil
	}
	s.Offer(tools)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.offer }, nil)
	s.server = &http.Server{Handler: s.guard(handler)}
	s.served.Go(func() {
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			cancel()
		}
	})
	return s, nil
}

// Offer serves these tools from now on, and tells who listens if they are others than before. It is not called twice at once.
func (s *Server) Offer(tools []tool.Definition) {
	now := map[string]tool.Definition{}
	for _, d := range tools {
		now[d.Name] = d
		if reflect.DeepEqual(s.offered[d.Name], d) {
			continue
		}
		s.offer.AddTool(&mcp.Tool{
			Name: d.Name, Description: d.Description, InputSchema: d.Schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: d.ReadOnly},
		}, s.handle)
	}
	for name := range s.offered {
		if _, still := now[name]; !still {
			s.offer.RemoveTools(name)
		}
	}
	s.offered = now
}

// guard lets in who knows the token.
func (s *Server) guard(next http.Handler) http.Handler {
	want := []byte("Bearer " + s.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the token of this run is missing or wrong", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Close ends the calls that run and serves no more.
func (s *Server) Close() {
	s.cancel()
	_ = s.server.Close()
	for session := range s.offer.Sessions() { // of a program that was killed, for one
		_ = session.Close()
	}
	s.served.Wait()
}
