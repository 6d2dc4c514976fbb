//! Programs that embed the SDK, in a network with routers of ours.

mod program;

use crate::controller::PATIENCE;
use crate::network::Network;
use crate::router::RunningRouter;
use portcullis_sdk::{
    Context, DialError, DialOptions, ListenError, ListenOptions, Listener, LoginProtocol,
    MAX_MESSAGE, Precedence, ServiceStream,
};
use program::{echo, exchange, program};
use serde_json::json;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

/// A network with a router that runs.
async fn running() -> (Network, RunningRouter) {
    let network = Network::new(1).await;
    let router = network.routers[0].start().await;
    network.controller.until_online(1).await;
    (network, router)
}

/// A host that sends back what it gets, and a client.
async fn host_and_client(network: &Network, protocol: LoginProtocol) -> (Context, Context) {
    let host = program(network, "host", protocol).await;
    let client = program(network, "client", protocol).await;
    (host, client)
}

async fn listen(context: &Context, service: &str) -> Listener {
    let listening = timeout(PATIENCE, context.listen(service));
    listening.await.unwrap().unwrap()
}

async fn connect(context: &Context, service: &str) -> ServiceStream {
    let connecting = timeout(PATIENCE, context.connect(service));
    connecting.await.unwrap().unwrap()
}

/// Some MiB there and back at the same time, half closed by one after the other.
#[tokio::test]
async fn streams_carry_both_directions() {
    let (network, _routers) = Network::linked().await;
    network.controller.service_with("secret", true).await;
    for protocol in [LoginProtocol::Legacy, LoginProtocol::Oidc] {
        let host = program(&network, &format!("host, {protocol:?}"), protocol).await;
        let client = program(&network, &format!("client, {protocol:?}"), protocol).await;
        for (service, is_encrypted) in [("wiki", false), ("secret", true)] {
            let mut listener = listen(&host, service).await;
            let serving = tokio::spawn(async move { echo(&mut listener, 1).await });
            let stream = connect(&client, service).await;
            assert_eq!(stream.is_encrypted(), is_encrypted);
            let circuit = stream.circuit_id().unwrap().to_owned();
            let circuits = network.controller.fabric("circuits").await;
            assert!(
                circuits.iter().any(|one| one["id"] == *circuit),
                "{circuits:?}"
            );
            timeout(PATIENCE, exchange(stream, 5_000_000))
                .await
                .unwrap();
            timeout(PATIENCE, serving).await.unwrap().unwrap();
            network.controller.until_count("circuits", 0).await;
        }
        timeout(PATIENCE, host.close()).await.unwrap();
        timeout(PATIENCE, client.close()).await.unwrap();
    }
}

#[tokio::test]
async fn many_streams_at_once() {
    const STREAMS: usize = 50;
    let (network, _router) = running().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Oidc).await;
    let mut listener = listen(&host, "wiki").await;
    let serving = tokio::spawn(async move { echo(&mut listener, STREAMS).await });
    let mut streams = tokio::task::JoinSet::new();
    for _ in 0..STREAMS {
        let client = client.clone();
        streams.spawn(async move { exchange(connect(&client, "wiki").await, 100_000).await });
    }
    timeout(PATIENCE, streams.join_all()).await.unwrap();
    timeout(PATIENCE, serving).await.unwrap().unwrap();
    network.controller.until_count("circuits", 0).await;
}

#[tokio::test]
async fn dials_that_fail_say_why() {
    let (network, _router) = running().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Legacy).await;
    let error = client.connect("no such service").await.unwrap_err();
    assert!(matches!(&error, DialError::NoService { .. }), "{error:?}");
    assert!(error.to_string().contains("no such service"), "{error}");
    assert!(!error.is_temporary());
    let error = host.listen("no such service").await.unwrap_err();
    assert!(matches!(&error, ListenError::NoService { .. }), "{error:?}");

    let body = json!({"name": "for hosts", "encryptionRequired": false});
    let id = network.controller.create("services", &body).await;
    let policy = json!({
        "name": "for hosts", "type": "Bind", "semantic": "AnyOf",
        "identityRoles": ["#all"], "serviceRoles": [format!("@{id}")],
    });
    network.controller.create("service-policies", &policy).await;
    let error = client.connect("for hosts").await.unwrap_err();
    assert!(
        matches!(&error, DialError::NotPermitted { .. }),
        "{error:?}"
    );

    let error = client.connect("wiki").await.unwrap_err();
    assert!(error.to_string().contains("terminators"), "{error}");
    assert!(error.is_temporary());

    let mut listener = listen(&host, "wiki").await;
    let refusing = async {
        // It is tried three times.
        loop {
            let incoming = listener.next().await.unwrap();
            assert_eq!(incoming.app_data(), b"let me in");
            assert_eq!(incoming.caller().identity_name.as_deref(), Some("client"));
            incoming.refuse("closed on Sundays");
        }
    };
    let dialing = client.dial(DialOptions {
        app_data: Some("let me in".into()),
        ..DialOptions::new("wiki")
    });
    let error = tokio::select! {
        error = timeout(PATIENCE, dialing) => error.unwrap().unwrap_err(),
        () = refusing => unreachable!(),
    };
    assert!(error.to_string().contains("closed on Sundays"), "{error}");
    assert!(error.refusal().is_some(), "{error:?}");
}

/// Programs are addressed by names, and preferred by their terms.
#[tokio::test]
async fn listeners_have_names_and_terms() {
    let (network, _router) = running().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Oidc).await;
    let listener = host.listen_with(ListenOptions {
        identity: Some("printer".to_owned()),
        cost: Some(7),
        ..ListenOptions::new("wiki")
    });
    let mut listener = listener.await.unwrap();
    timeout(PATIENCE, listener.established())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(listener.terminators(), 1);
    let terms = async || {
        let terminators = network.controller.get("terminators").await;
        let one = &terminators[0];
        (
            one["cost"].clone(),
            one["precedence"].clone(),
            one["identity"].clone(),
        )
    };
    assert_eq!(
        terms().await,
        (json!(7), json!("default"), json!("printer"))
    );
    listener.update(9, Precedence::Required);
    network
        .controller
        .until("the terms are others", async |_| {
            terms().await == (json!(9), json!("required"), json!("printer"))
        })
        .await;
    let error = client.connect("wiki").await.unwrap_err();
    assert!(error.to_string().contains("terminators"), "{error}");
    let dialing = client.dial(DialOptions {
        identity: Some("printer".to_owned()),
        ..DialOptions::new("wiki")
    });
    let (dialed, accepted) = tokio::join!(dialing, listener.accept());
    let (mut near, mut far) = (dialed.unwrap(), accepted.unwrap());
    assert_eq!(
        far.caller().unwrap().identity_name.as_deref(),
        Some("client")
    );
    assert_eq!(near.caller(), None);
    near.write_all(b"print").await.unwrap();
    let mut read = [0; 5];
    far.read_exact(&mut read).await.unwrap();
    assert_eq!(&read, b"print");
}

#[tokio::test]
async fn listener_survives_routers() {
    let (network, mut routers) = Network::linked().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Oidc).await;
    let mut listener = listen(&host, "wiki").await;
    let controller = &network.controller;
    let has = async |listener: &Listener, count| {
        controller
            .until("there are so many terminators", async |_| {
                listener.terminators() == count
            })
            .await;
    };
    has(&listener, 2).await;
    let reaches = async |listener: &mut Listener| {
        let exchanging = async { exchange(connect(&client, "wiki").await, 10_000).await };
        let exchanging = async { tokio::join!(exchanging, echo(listener, 1)) };
        timeout(PATIENCE, exchanging).await.unwrap();
    };
    reaches(&mut listener).await;
    Box::pin(routers.remove(0).end()).await;
    has(&listener, 1).await;
    controller.until_online(1).await;
    // Also if the client was at the router that has gone.
    reaches(&mut listener).await;
    routers.push(network.routers[0].start().await);
    has(&listener, 2).await;
    reaches(&mut listener).await;
}

#[tokio::test]
async fn lost_session_is_opened_again() {
    let (network, _router) = running().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Legacy).await;
    let mut listener = listen(&host, "wiki").await;
    let serving = tokio::spawn(async move { echo(&mut listener, 2).await });
    exchange(connect(&client, "wiki").await, 10_000).await;
    let sessions = network.controller.get("api-sessions").await;
    for session in sessions.as_array().unwrap() {
        if session["identity"]["name"] == "client" {
            let id = session["id"].as_str().unwrap();
            network
                .controller
                .delete(&format!("api-sessions/{id}"))
                .await;
        }
    }
    exchange(connect(&client, "wiki").await, 10_000).await;
    timeout(PATIENCE, serving).await.unwrap().unwrap();
}

/// Through routers, encrypted or not.
#[tokio::test]
async fn messages_keep_their_borders() {
    let (network, _router) = running().await;
    network.controller.service_with("secret", true).await;
    let (host, client) = host_and_client(&network, LoginProtocol::Oidc).await;
    for service in ["wiki", "secret"] {
        let mut listener = listen(&host, service).await;
        let (dialed, accepted) = tokio::join!(connect(&client, service), listener.accept());
        let (mut near, mut far) = (dialed, accepted.unwrap());
        for length in [1, 1_200, 9_000, MAX_MESSAGE, 2] {
            let message = vec![length.to_le_bytes()[0]; length];
            near.send_message(message.clone().into()).await.unwrap();
            near.send_message("between".into()).await.unwrap();
            let received = timeout(PATIENCE, far.recv_message()).await.unwrap();
            assert!(received.unwrap().unwrap() == message);
            assert_eq!(far.recv_message().await.unwrap().unwrap(), "between");
        }
        drop(near);
        assert_eq!(
            timeout(PATIENCE, far.recv_message())
                .await
                .unwrap()
                .unwrap(),
            None
        );
    }
}

/// Nothing more arrives, whether the other end has said that it closes or not.
async fn is_over(mut stream: ServiceStream) {
    let mut rest = Vec::new();
    let reading = timeout(PATIENCE, stream.read_to_end(&mut rest));
    let read = reading.await.unwrap();
    assert!(rest.is_empty(), "{rest:?}");
    if let Err(error) = read {
        let kinds = [ErrorKind::ConnectionReset, ErrorKind::BrokenPipe];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

#[tokio::test]
async fn what_is_dropped_is_over() {
    let (network, _router) = running().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Oidc).await;
    let mut listener = listen(&host, "wiki").await;

    // A dial, while it waits for the host.
    let dialing = client.connect("wiki");
    let incoming = tokio::select! {
        _ = dialing => panic!("nobody has accepted it"),
        incoming = listener.next() => incoming.unwrap(),
    };
    // It may be accepted before the host learns of it; the stream is over then.
    if let Ok(stream) = incoming.accept() {
        is_over(stream).await;
    }
    network.controller.until_count("circuits", 0).await;

    // A stream, which delivers what was written.
    let (mut near, far) = tokio::join!(connect(&client, "wiki"), listener.accept());
    let mut far = far.unwrap();
    near.write_all(&vec![7; 100_000]).await.unwrap();
    drop(near);
    let mut read = Vec::new();
    timeout(PATIENCE, far.read_to_end(&mut read))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(read.len(), 100_000);
    drop(far);
    network.controller.until_count("circuits", 0).await;

    // A listener, whose streams go on.
    let (mut near, far) = tokio::join!(connect(&client, "wiki"), listener.accept());
    let mut far = far.unwrap();
    drop(listener);
    let service = network.service.clone();
    network
        .controller
        .until("the terminator is gone", async |controller| {
            controller.terminators(&service).await == 0
        })
        .await;
    near.write_all(b"still here").await.unwrap();
    let mut read = [0; 10];
    timeout(PATIENCE, far.read_exact(&mut read))
        .await
        .unwrap()
        .unwrap();

    // A context, which takes its streams along.
    timeout(PATIENCE, host.close()).await.unwrap();
    let error = far.read_u8().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionAborted, "{error}");
    is_over(near).await;
    let error = host.connect("wiki").await.unwrap_err();
    assert!(!error.is_temporary(), "{error}");
}

/// Streams go on without the handle of the context, which nobody needs to keep.
#[tokio::test]
async fn streams_keep_the_context() {
    let (network, _router) = running().await;
    let (host, client) = host_and_client(&network, LoginProtocol::Oidc).await;
    let mut listener = listen(&host, "wiki").await;
    drop(host);
    let serving = tokio::spawn(async move { echo(&mut listener, 1).await });
    let stream = connect(&client, "wiki").await;
    drop(client);
    tokio::time::sleep(Duration::from_millis(100)).await;
    timeout(PATIENCE, exchange(stream, 100_000)).await.unwrap();
    timeout(PATIENCE, serving).await.unwrap().unwrap();
}
