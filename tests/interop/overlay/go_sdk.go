// A program of the Go SDK that hosts a service which says back what it gets, or dials one:
//
//	go_sdk host IDENTITY SERVICE legacy|oidc
//	go_sdk dial IDENTITY SERVICE legacy|oidc BYTES
//
// Build it in a directory of its own:
//
//	cp tests/interop/overlay/go_sdk.go main.go && go mod init example.test/go_sdk
//	go get github.com/openziti/sdk-golang/v2 && go build -o go_sdk
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/openziti/sdk-golang/v2/ziti"
)

func main() {
	role, identity, service, login := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	config, err := ziti.NewConfigFromFile(identity)
	check(err)
	context, err := ziti.NewContext(config)
	check(err)
	if login == "legacy" {
		client := context.(*ziti.ContextImpl).CtrlClt
		client.SetAllowOidcDynamicallyEnabled(false)
		client.SetUseOidc(false)
	}
	check(context.Authenticate())
	if role == "host" {
		host(context, service)
		return
	}
	length, err := strconv.Atoi(os.Args[5])
	check(err)
	dial(context, service, length)
}

func host(context ziti.Context, service string) {
	listener, err := context.Listen(service)
	check(err)
	fmt.Println("listening")
	for {
		connection, err := listener.Accept()
		check(err)
		go func() {
			served, err := io.Copy(connection, connection)
			fmt.Println("served", served, err)
			connection.Close()
		}()
	}
}

func dial(context ziti.Context, service string, length int) {
	data := make([]byte, length)
	rand.Read(data)
	connection, err := context.Dial(service)
	check(err)
	go func() {
		connection.Write(data)
		connection.(interface{ CloseWrite() error }).CloseWrite()
	}()
	received, err := io.ReadAll(connection)
	check(err)
	if sha256.Sum256(received) != sha256.Sum256(data) {
		fmt.Println(len(received), "bytes came back, which are not the", length, "that were sent")
		os.Exit(1)
	}
	fmt.Println("exchanged", length, "bytes")
	connection.Close()
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
