use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{MetricName, TICK};
use portcullis_router::health::HealthOptions;
use portcullis_router::links::PeerView;
use portcullis_router::web::web_servers;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use rustls_pki_types::PrivateKeyDer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::*;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::links::{LinkInventory, LinkView};
use crate::tls::Credentials;

struct NoLinks;

impl LinkInventory for NoLinks {
    fn views(&self) -> Vec<LinkView> {
        Vec::new()
    }

    fn peers(&self) -> Vec<PeerView> {
        Vec::new()
    }
}

/// Certificates for `localhost`, which stand for themselves.
fn tls() -> Arc<Tls> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let chain = vec![made.cert.der().clone()];
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let credentials = Credentials {
        client_chain: chain.clone(),
        client_key: key.clone_key(),
        servers: vec![(chain.clone(), key)],
        authorities: chain,
    };
    Arc::new(Tls::new(credentials).unwrap())
}

/// What a file with these servers serves, and where.
pub(crate) struct Served {
    tls: Arc<Tls>,
    addresses: Vec<SocketAddr>,
    metrics: Arc<MetricRegistry>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Served {
    async fn start(web: &str) -> Self {
        Self::with(web, Arc::default()).await
    }

    /// With figures that others measure.
    pub(crate) async fn with(web: &str, metrics: Arc<MetricRegistry>) -> Self {
        Self::limited(web, metrics, Limits::default()).await
    }

    async fn limited(web: &str, metrics: Arc<MetricRegistry>, limits: Limits) -> Self {
        let text = format!("v: 3\nhealthChecks: {{linkCheck: {{minLinks: 1}}}}\nweb:\n{web}");
        let file = SourceFile::new("router.yml", text.as_bytes());
        let mut config = load(&file, &CheckOptions::new()).config;
        // A file cannot ask for any free port.
        for point in config
            .web
            .iter_mut()
            .flat_map(|entry| &mut entry.bind_points)
        {
            let interface = point.interface.as_mut().unwrap();
            interface.value = "127.0.0.1:0".to_owned();
        }
        let router_tls = tls();
        let servers = web_servers(&config.web).unwrap();
        let own = |_: &Identity| Ok::<_, WebError>(tls());
        let servers = WebServers::bind(servers, &router_tls, &limits, own)
            .await
            .unwrap();
        let addresses = servers.local_addresses();
        let health = Health::new(
            HealthOptions::from_config(&config.health_checks).unwrap(),
            RouterClock::start(Timestamp::UNIX_EPOCH),
            Arc::new(Controllers::new(Duration::from_secs(1))),
            Arc::new(NoLinks),
        );
        let content = WebContent {
            health: Arc::new(health),
            metrics: Arc::clone(&metrics),
            router: "r1".into(),
        };
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        servers.serve(&content, &tasks, &stop);
        Self {
            tls: router_tls,
            addresses,
            metrics,
            stop,
            tasks,
        }
    }

    /// The response to a request, with its head in lower case.
    pub(crate) async fn ask(&self, head: &str) -> String {
        let socket = TcpStream::connect(self.addresses[0]).await.unwrap();
        let connecting = self.tls.connect(socket, "localhost", "http/1.1");
        let mut stream = connecting.await.unwrap();
        let request = format!("{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).await.unwrap();
        String::from_utf8(response).unwrap()
    }

    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

pub(crate) const BOTH: &str = "
  - name: monitoring
    bindPoints: [{interface: '127.0.0.1:1', address: 'localhost:1', newAddress: 'r.example.test:9'}]
    apis: [{binding: health-checks}, {binding: metrics}]
    options: {minTLSVersion: TLS1.3}
";

#[tokio::test]
async fn health_is_told_at_every_path_but_that_of_the_metrics() {
    let served = Served::start(BOTH).await;
    for target in ["/health-checks", "/", "/metric"] {
        let response = served.ask(&format!("GET {target} HTTP/1.1")).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
        assert!(response.contains("ziti-ctrl-address: https://r.example.test:9\r\n"));
        assert!(response.contains("\"healthy\": false"), "{response}");
    }
    let refusing = "GET /health-checks?status=code HTTP/1.1";
    assert!(served.ask(refusing).await.starts_with("HTTP/1.1 503 "));
    let head = served.ask("HEAD /health-checks HTTP/1.1").await;
    assert!(head.ends_with("\r\n\r\n"), "{head}");
    served.end().await;
}

#[tokio::test]
async fn who_says_nothing_has_the_time_of_a_handshake() {
    let limits = Limits {
        handshake: Duration::from_millis(100),
        ..Limits::default()
    };
    let served = Served::limited(BOTH, Arc::default(), limits).await;
    let mut silent = TcpStream::connect(served.addresses[0]).await.unwrap();
    let mut rest = Vec::new();
    let ended = timeout(Duration::from_secs(5), silent.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the connection is still open");
    served.end().await;
}

#[tokio::test]
async fn metrics_are_told_in_the_format_that_is_asked_for() {
    let served = Served::start(BOTH).await;
    let failures = served
        .metrics
        .meter(MetricName::plain("edge.connect.failures"));
    failures.mark(2);
    served.metrics.tick(TICK);
    let sample = "\nziti_edge_connect_failures_total{source_id=\"r1\"} 2\n";
    let response = served.ask("GET /metrics HTTP/1.1").await;
    assert!(response.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    assert!(response.contains(sample), "{response}");
    let accept = "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0";
    let response = served.ask(accept).await;
    assert!(response.contains("content-type: application/openmetrics-text; version=1.0.0"));
    assert!(response.ends_with("# EOF\n"), "{response}");
    let refused = served
        .ask("POST /metrics HTTP/1.1\r\nContent-Length: 0")
        .await;
    assert!(refused.starts_with("HTTP/1.1 405 "), "{refused}");
    assert!(refused.contains("allow: GET, HEAD\r\n"), "{refused}");
    served.end().await;
}

#[tokio::test]
async fn server_without_health_has_no_other_path() {
    let served = Served::start(
        "
  - name: metrics
    bindPoints: [{interface: '127.0.0.1:1', address: 'localhost:1'}]
    apis: [{binding: metrics}]
",
    )
    .await;
    let response = served.ask("GET /health-checks HTTP/1.1").await;
    assert!(response.starts_with("HTTP/1.1 404 "), "{response}");
    assert!(
        served
            .ask("GET /metrics HTTP/1.1")
            .await
            .starts_with("HTTP/1.1 200 ")
    );
    served.end().await;
}

#[tokio::test]
async fn entry_with_certificates_of_its_own_serves_them() {
    let served = Served::start(
        "
  - name: own
    bindPoints: [{interface: '127.0.0.1:1', address: 'localhost:1'}]
    apis: [{binding: health-checks}]
    identity: {cert: a, key: b, server_cert: c, ca: d}
",
    )
    .await;
    let socket = TcpStream::connect(served.addresses[0]).await.unwrap();
    let connected = served.tls.connect(socket, "localhost", "http/1.1").await;
    connected.expect_err("a client that trusts the router's certificate does not trust this one");
    served.end().await;
}

#[tokio::test]
async fn interfaces_have_a_host_or_none_and_a_port() {
    for (interface, host) in [
        ("127.0.0.1:0", "127.0.0.1"),
        ("[::ffff:127.0.0.1]:0", "::ffff:127.0.0.1"),
        ("localhost:0", "127.0.0.1"),
    ] {
        let listener = open("one", interface).await.unwrap();
        assert_eq!(listener.local_addr().ip().to_string(), host, "{interface}");
    }
    let everywhere = open("one", ":0").await.unwrap();
    assert!(everywhere.local_addr().ip().is_unspecified());
    for interface in ["127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536"] {
        let error = open("one", interface).await.map(drop).unwrap_err();
        assert!(error.to_string().contains(interface), "{error}");
    }
}
