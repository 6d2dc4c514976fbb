//! What routers of OpenZiti do that others must not build upon.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_listener::{Connection, Greeting, Limits, Listener, StreamFuture, StreamService};
use portcullis_transport::Incoming;
use portcullis_wire::control::peer::{self, PeerState, PeerStateChange, PeerStateChanges};
use portcullis_wire::link::LinkHello;
use tokio::net::TcpStream;
use tokio::time::Instant;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use super::refusals::{as_hello, knock, link_hello};
use super::world::{GROUP, World, wait_until};
use crate::links::LINK_ALPN;
use crate::tls::Tls;

/// Keeps the hellos of links, and answers none.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<LinkHello>>>);

impl StreamService for Ear {
    fn serve(
        &self,
        _connection: Arc<Connection>,
        stream: TlsStream<TcpStream>,
        _greeting: Greeting,
        _shutdown: CancellationToken,
    ) -> StreamFuture {
        let heard = Arc::clone(&self.0);
        Box::pin(async move {
            let deadline = Instant::now() + Duration::from_secs(5);
            if let Ok(incoming) = Incoming::read(stream, deadline).await {
                let hello = LinkHello::from_hello(incoming.hello()).unwrap();
                heard.lock().push(hello);
            }
        })
    }
}

/// Defect 20 of the original: it says the version of the router that it dials.
#[tokio::test]
async fn hello_says_the_version_of_who_dials() {
    let world = World::new();
    let first = world.router("r1").await;
    let (ear, stop) = (Ear::default(), CancellationToken::new());
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr();
    let listener = listener.with_protocol(LINK_ALPN, Arc::new(ear.clone()));
    let tls = Tls::new(world.network.credentials("r2")).unwrap();
    let tls = Arc::clone(tls.server());
    tokio::spawn(listener.serve_protocols(tls, Limits::default(), stop.clone()));
    first.learn("r2", "v1.9.9", address);
    wait_until(|| !ear.0.lock().is_empty()).await;
    assert_eq!(ear.0.lock()[0].version, "v2.1.0");
    stop.cancel();
}

#[tokio::test]
async fn version_in_a_hello_decides_nothing() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    for (number, version) in ["", "v0.0.0", "v1.5.0", "v9.9.9", "no version"]
        .into_iter()
        .enumerate()
    {
        let mut hello = link_hello("r1", "r2");
        version.clone_into(&mut hello.version);
        hello.link_id = format!("link {number}");
        let link = hello.link_id.clone();
        let _stream = knock(&second, &first.tls, &as_hello(&hello)).await.unwrap();
        wait_until(|| second.manager.views().iter().any(|view| view.id == link)).await;
    }
}

/// Defect 19 of the original: payloads on them have a form that the circuits of today do not fit into.
#[tokio::test]
async fn links_over_dtls_are_not_dialed() {
    let world = World::new();
    let (first, second) = (world.router("r1").await, world.router("r2").await);
    let interface = first.manager.announcements().remove(0).local_binding;
    let listener = |protocol: &str| peer::Listener {
        address: format!("{protocol}:localhost:{}", second.address.port()),
        protocol: protocol.to_owned(),
        groups: vec![GROUP.to_owned()],
        local_binding: interface.clone(),
    };
    first.manager.peers_changed(&PeerStateChanges {
        changes: vec![PeerStateChange {
            id: "r2".to_owned(),
            version: "v2.1.0".to_owned(),
            state: PeerState::Healthy,
            listeners: vec![listener("dtls"), listener("tls")],
        }],
    });
    let link = first.linked(4).await;
    assert_eq!(link.protocol, "tls");
    assert_eq!(first.manager.views().len(), 1);
    assert_eq!(second.manager.views().len(), 1);
}
