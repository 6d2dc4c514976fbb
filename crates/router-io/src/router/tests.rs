//! A router as a whole, which no controller is there for.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_system::SystemEntropy;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::*;
use crate::identity::test_files::TestFiles;

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
        max_descriptors: None,
        buffer_memory: None,
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
