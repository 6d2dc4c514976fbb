//! A router as a whole.

mod link_dials;

use std::fs;
use std::future::pending;

use bytes::Bytes;
use portcullis_channel::{ContentType, Message, Priority};
use portcullis_domain::clock::Timestamp;
use portcullis_system::SystemEntropy;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::inspection::InspectRequest;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, pause};

use super::*;
use crate::control::tests::controller::{FakeController, RouterChannel};
use crate::control::tests::world::Authority;
use crate::identity::test_files::TestFiles;
use crate::tls::Tls;

/// Every kind of listener with TLS.
const LISTENERS: &str = "
v: 3
identity: {cert: DIR/r1.cert, server_cert: DIR/r1.server.cert, key: DIR/r1.key, ca: DIR/r1.cas}
ctrl: {endpoint: 'tls:127.0.0.1:1'}
tls: {handshakeTimeout: 200ms}
edge: {csr: {sans: {dns: [one.example.test]}}}
link:
  listeners: [{binding: transport, bind: 'tls:127.0.0.1:1', advertise: 'tls:one.example.test:1'}]
listeners:
  - {binding: edge, address: 'tls:127.0.0.1:2', options: {advertise: 'one.example.test:2'}}
  - {binding: edge, address: 'wss:127.0.0.1:3', options: {advertise: 'one.example.test:3'}}
  - {binding: transport, address: 'tls:127.0.0.1:4'}
web:
  - name: health
    bindPoints: [{interface: '127.0.0.1:5', address: 'one.example.test:5'}]
    apis: [{binding: health-checks}]
";

/// A router with these lines in its file, whose listeners have any ports.
async fn start(files: &TestFiles, text: &str) -> Router {
    start_with(files, text, None).await
}

async fn start_with(files: &TestFiles, text: &str, max_descriptors: Option<u64>) -> Router {
    let text = text.replace("DIR", files.folder().to_str().unwrap());
    let path = files.path("router.yml");
    let mut file = RouterFile::judge(&path, text.as_bytes(), |_| false)
        .accepted
        .unwrap();
    let config = &mut file.config;
    // A file cannot ask for any free port.
    let links = config.link.listeners.iter_mut().map(|one| &mut one.bind);
    let clients = config.listeners.iter_mut().map(|one| &mut one.address);
    let web = config.web.iter_mut().flat_map(|one| &mut one.bind_points);
    let web = web.map(|one| &mut one.interface);
    for address in links.chain(clients).chain(web).flatten() {
        let (host, _port) = address.value.rsplit_once(':').unwrap();
        address.value = format!("{host}:0");
    }
    let starting = Router::start(RouterOptions {
        identity: IdentityFiles::from_config(&file.config.identity).unwrap(),
        file,
        version: BuildVersion::of_program("v2.1.0", "test", "2031-01-01T00:00:00Z"),
        clock: RouterClock::start(Timestamp::UNIX_EPOCH),
        entropy: Arc::new(SystemEntropy),
        max_descriptors,
        buffer_memory: None,
        memory_profiler: None,
        renews_at_once: false,
        stop: CancellationToken::new(),
    });
    Box::pin(starting).await.unwrap()
}

#[tokio::test]
async fn handshakes_have_the_same_time_everywhere() {
    let files = TestFiles::new();
    let router = start(&files, LISTENERS).await;
    // Routers and SDKs share a port.
    assert_eq!(router.addresses().len(), 3);
    for address in router.addresses() {
        let mut silent = TcpStream::connect(address).await.unwrap();
        let mut rest = Vec::new();
        // A fraction of the usual time.
        let ended = timeout(Duration::from_secs(3), silent.read_to_end(&mut rest)).await;
        assert!(ended.is_ok(), "{address} waits for a handshake");
    }
    router.stop.cancel();
    router.wait().await;
}

#[tokio::test]
async fn what_does_not_end_does_not_keep_the_router_from_stopping() {
    let files = TestFiles::new();
    let router = start(&files, LISTENERS).await;
    // As an end of a circuit whose server takes nothing.
    router.tasks.spawn(pending::<()>());
    router.stop.cancel();
    pause();
    let begin = Instant::now();
    let stopped = timeout(Duration::from_mins(10), router.wait()).await;
    assert!(stopped.is_ok(), "it waits for everything");
    assert!(begin.elapsed() < Duration::from_secs(10), "{begin:?}");
}

/// Where SDKs connect, by TLS and by a WebSocket.
const EDGE: &str = "
v: 3
identity: {cert: DIR/r1.cert, server_cert: DIR/r1.server.cert, key: DIR/r1.key, ca: DIR/r1.cas}
ctrl: {endpoint: 'CONTROLLER'}
tls: {handshakeTimeout: HANDSHAKE}
edge: {csr: {sans: {dns: [one.example.test]}}}
listeners:
  - binding: edge
    address: tls:127.0.0.1:2
    options: {advertise: 'one.example.test:2', connectTimeout: 300ms}
";

fn edge(controller: &str, handshake: &str) -> String {
    let text = EDGE.replace("CONTROLLER", controller);
    text.replace("HANDSHAKE", handshake)
}

/// Whether a peer ends a connection within a time.
async fn ends(stream: &mut (impl AsyncRead + Unpin), within: Duration) -> bool {
    let mut rest = Vec::new();
    timeout(within, stream.read_to_end(&mut rest)).await.is_ok()
}

#[tokio::test]
async fn who_says_nothing_to_the_edge_is_closed_in_time() {
    const SOON: Duration = Duration::from_secs(3);
    let files = TestFiles::new();
    let router = start(&files, &edge("tls:127.0.0.1:1", "300ms")).await;
    let address = router.addresses()[0];
    let tls = Tls::new(files.usual().load().unwrap().credentials).unwrap();
    for _ in 0..20 {
        let mut silent = TcpStream::connect(address).await.unwrap();
        let without_hello = TcpStream::connect(address).await.unwrap();
        let connecting = tls.connect(without_hello, "one.example.test", "ziti-edge");
        let mut without_hello = connecting.await.unwrap();
        tokio::spawn(async move {
            assert!(ends(&mut silent, SOON).await, "no handshake is waited for");
        })
        .await
        .unwrap();
        assert!(
            ends(&mut without_hello, SOON).await,
            "a hello is waited for"
        );
    }
    router.stop.cancel();
    router.wait().await;
}

#[tokio::test]
async fn so_many_who_say_nothing_keep_nobody_from_the_edge() {
    // SDKs have half of the descriptors.
    const DESCRIPTORS: u64 = 64;
    const MOST: usize = 32;
    const MORE: usize = 20;
    let files = TestFiles::new();
    let text = edge("tls:127.0.0.1:1", "1h");
    let router = start_with(&files, &text, Some(DESCRIPTORS)).await;
    let address = router.addresses()[0];
    let mut silent = Vec::new();
    for _ in 0..MOST + MORE {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let mut open = 0;
    for mut stream in silent {
        let is_closed = ends(&mut stream, Duration::from_millis(20)).await;
        open += usize::from(!is_closed);
        // It stays as it is.
        tokio::spawn(async move {
            let _until_the_end = stream.read(&mut [0]).await;
        });
    }
    assert_eq!(open, MOST, "the others have given way");
    let tls = Tls::new(files.usual().load().unwrap().credentials).unwrap();
    let client = TcpStream::connect(address).await.unwrap();
    let connecting = tls.connect(client, "one.example.test", "ziti-edge");
    timeout(Duration::from_secs(3), connecting)
        .await
        .unwrap()
        .unwrap();
    router.stop.cancel();
    router.wait().await;
}

/// Answers a question after all that it was told before.
async fn answers(channel: &RouterChannel) -> bool {
    let question = ControlMessage::InspectRequest(InspectRequest {
        names: vec!["stackdump".to_owned()],
    });
    let asked = channel.handle.request(
        question.priority(),
        question.encode().unwrap(),
        Duration::from_secs(20),
    );
    let Ok(asked) = asked else { return false };
    asked.await.is_ok()
}

/// Of any kind, with any content, also of kinds that only routers send.
#[tokio::test]
async fn messages_of_every_kind_from_a_controller_are_outlived() {
    /// Tells of other controllers, each of which has a task then.
    const ADDRESSES: i32 = 1037;
    const CONTENTS: [&[u8]; 4] = [
        b"",
        &[0xff; 16],
        b"\x0a\x02ab\x10\x01\x1a\x01c",
        b"\x0a\x04\x0a\x02ab\x12\x00\x18\x01",
    ];
    let files = TestFiles::new();
    let authority = Authority::new();
    let cas = fs::read_to_string(files.path("r1.cas")).unwrap();
    files.write("r1.cas", &format!("{cas}{}", authority.root_pem()));
    let mut controller = FakeController::start("c1", &authority).await;
    let router = start(&files, &edge(&controller.place(), "5s")).await;
    let mut channel = controller.router().await;
    assert!(answers(&channel).await);
    let tasks = router.tasks.len();

    let kinds = (0..=200).chain(1000..=1110).chain(20_000..=20_600);
    for kind in kinds.filter(|kind| *kind != ADDRESSES) {
        for content in CONTENTS {
            let message = Message::new(ContentType(kind)).with_body(Bytes::from_static(content));
            let _may_be_closed = channel.handle.send(Priority::Default, message);
        }
        if !answers(&channel).await {
            channel = controller.router().await;
            assert!(answers(&channel).await, "after the kind {kind}");
        }
    }
    // None of its tasks has failed; some of what it was told has tasks of its own.
    assert!(router.tasks.len() >= tasks, "{}", router.tasks.len());
    router.stop.cancel();
    router.wait().await;
}
