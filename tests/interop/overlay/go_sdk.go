// A program of the Go SDK that hosts a service which says back what it gets, or dials one, or does both over one
// channel, with flow control by the router or by the SDK:
//
//	go_sdk host IDENTITY SERVICE legacy|oidc
//	go_sdk dial IDENTITY SERVICE legacy|oidc BYTES
//	go_sdk both IDENTITY SERVICE legacy|oidc BYTES router|sdk
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
	"time"

	"github.com/openziti/sdk-golang/v2/ziti"
	"github.com/openziti/sdk-golang/v2/ziti/edge"
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
	inSdk := false
	listening := ziti.DefaultListenOptions()
	dialing := &ziti.DialOptions{ConnectTimeout: 10 * time.Second, SdkFlowControl: &inSdk}
	if role == "host" {
		serve(listen(context, service, listening))
		return
	}
	length, err := strconv.Atoi(os.Args[5])
	check(err)
	if role == "both" {
		inSdk = os.Args[6] == "sdk"
		listening.SdkFlowControl = &inSdk
		listening.WaitForNEstablishedListeners = 1
		go serve(listen(context, service, listening))
	}
	dial(context, service, dialing, length)
}

func listen(context ziti.Context, service string, options *ziti.ListenOptions) edge.Listener {
	listener, err := context.ListenWithOptions(service, options)
	check(err)
	fmt.Println("listening")
	return listener
}

func serve(listener edge.Listener) {
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

func dial(context ziti.Context, service string, options *ziti.DialOptions, length int) {
	data := make([]byte, length)
	rand.Read(data)
	connection, err := context.DialWithOptions(service, options)
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
