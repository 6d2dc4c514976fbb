//! Servers that cannot be reached.

use std::sync::Arc;
use std::time::{Duration, Instant};

use portcullis_memory_budget::Account;
use portcullis_wire::Secret;
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::peer_data::{DIALER_IDENTITY_ID, PUBLIC_KEY, PeerData};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::{World, entries};

#[tokio::test]
async fn nobody_listens() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp:{}", listener.local_addr().unwrap());
    drop(listener);
    for binding in ["transport", "edge_transport"] {
        let failure = world.dial(binding, &address).await.unwrap_err();
        assert_eq!(failure.failure, RouteFailure::ConnectionRefused);
        let reason = format!("`{address}`: it cannot be connected to: Connection refused");
        assert!(failure.reason.starts_with(&reason), "{}", failure.reason);
    }
}

/// It accepts, and says nothing more.
#[tokio::test]
async fn server_hangs_in_its_handshake() {
    let dialers = entries("dialers: [{binding: transport, options: {connectTimeout: 100ms}}]\n");
    let world = World::with(&dialers);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let start = Instant::now();
    let address = format!("tls:localhost:{port}");
    let failure = world.dial("transport", &address).await.unwrap_err();
    assert_eq!(failure.failure, RouteFailure::DialTimedOut);
    assert_eq!(
        failure.reason,
        format!("`{address}`: it did not answer in time")
    );
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
}

/// Its circuits to servers count where it dials them, whatever router it is connected to.
#[tokio::test]
async fn identity_that_has_used_up_its_memory_leaves_the_rest_to_others() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp:{}", listener.local_addr().unwrap());
    let dialer =
        |name: &'static str| PeerData::from([(DIALER_IDENTITY_ID, Secret::new(name.into()))]);
    let share = world.router.ends.memory_of(&"alice".into());
    let used_up = Account::reserving(&share, share.limit());
    for binding in ["transport", "edge_transport", "transport_udp"] {
        let address = address.replace(
            "tcp",
            if binding == "transport_udp" {
                "udp"
            } else {
                "tcp"
            },
        );
        let refused = world.dial_with(binding, &address, dialer("alice")).await;
        let refused = refused.unwrap_err();
        assert_eq!(refused.failure, RouteFailure::ResourcesNotAvailable);
        let reason = "the identity has used up its share of the router's memory";
        assert!(refused.reason.ends_with(reason), "{}", refused.reason);
    }
    world
        .dial_with("transport", &address, dialer("bob"))
        .await
        .unwrap();
    drop(used_up);
    world
        .dial_with("transport", &address, dialer("alice"))
        .await
        .unwrap();
    let counted = async {
        while share.used() == 0 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), counted).await.unwrap();
}

/// The label is longer than names can be, so that nobody is asked.
#[tokio::test]
async fn host_is_unknown() {
    let world = World::new();
    let host = format!("{}.invalid", "x".repeat(64));
    for (binding, address) in [
        ("transport", format!("tcp:{host}:80")),
        ("edge_transport", format!("tls:{host}:80")),
        ("transport_udp", format!("udp:{host}:80")),
        ("transport_udp", "udp6:127.0.0.1:80".to_owned()),
    ] {
        let failure = world.dial(binding, &address).await.unwrap_err();
        assert_eq!(
            failure.failure,
            RouteFailure::DnsResolutionFailed,
            "{address}"
        );
    }
}

#[tokio::test]
async fn addresses_are_not_understood() {
    let world = World::new();
    for (binding, address, reason) in [
        (
            "transport",
            "wss:server:443",
            "`wss:server:443`: its address cannot be dialed: wss is not spoken here",
        ),
        (
            "edge_transport",
            "tcp:server\u{1b}",
            "`tcp:server\\u{1b}`: its address cannot be dialed: the port is missing",
        ),
        (
            "transport_udp",
            "tcp:server:1",
            "`tcp:server:1`: its address cannot be dialed: `tcp` is none of udp, udp4, udp6 and unixgram",
        ),
    ] {
        let failure = world.dial(binding, address).await.unwrap_err();
        assert_eq!(failure.failure, RouteFailure::MisconfiguredTerminator);
        assert_eq!(failure.reason, reason);
    }
}

#[tokio::test]
async fn certificate_is_of_another_server() {
    let world = World::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(world.certificate.server_config()));
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let _refused = acceptor.accept(stream).await;
    });
    let address = format!("tls:127.0.0.1:{port}");
    let failure = world.dial("transport", &address).await.unwrap_err();
    assert_eq!(failure.failure, RouteFailure::Generic);
    let reason = format!("`{address}`: TLS cannot be negotiated with it: invalid peer certificate");
    assert!(failure.reason.starts_with(&reason), "{}", failure.reason);
}

#[tokio::test]
async fn keys_for_encryption_are_not_understood() {
    let world = World::new();
    for key in [&[][..], &[1; 31], &[0; 32]] {
        let peer_data: PeerData = [(PUBLIC_KEY, key.to_vec().into())]
            .map(|(number, key): (u32, bytes::Bytes)| (number, key.into()))
            .into();
        let dialing = world.dial_with("edge_transport", "tcp:127.0.0.1:1", peer_data);
        let failure = dialing.await.unwrap_err();
        assert_eq!(failure.failure, RouteFailure::Generic);
        let what = "the dialing end's key for encryption cannot be used";
        assert!(failure.reason.contains(what), "{}", failure.reason);
    }
}
