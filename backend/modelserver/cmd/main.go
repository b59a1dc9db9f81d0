// Command modelserver runs the scripted model server for tests that are not written in Go.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"parley/backend/modelserver"
)

func main() {
	var options modelserver.Options
	addr := flag.String("addr", "127.0.0.1:0", "loopback address; its port is printed on the first line")
	flag.BoolVar(&options.Ollama, "ollama", false, "speak as Ollama does")
	flag.BoolVar(&options.Lenient, "lenient", false, "take conversations that real servers refuse")
	flag.BoolVar(&options.Foreign, "foreign", false, "be asked by agents of others, who keep to their provider's rules only")
	flag.StringVar(&options.Key, "key", "", "the only API key that is let in")
	flag.Parse()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening", listener.Addr())
	log.Fatal(http.Serve(listener, modelserver.New(options)))
}
