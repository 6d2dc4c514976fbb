//! Lists that are too long to be kept: sent while they are written, and given up when nobody takes
//! them.

use http::{HeaderMap, Method};
use http_body_util::BodyExt as _;
use portcullis_http::path::Api;
use portcullis_http::route::RouteTable;
use portcullis_http::{AppState, BuildInfo, ControllerService, routes};
use portcullis_listener::{
    Body, Connection, Limits, Listener, ServerTls, Service as _, ServiceResponse, TlsVersion,
};
use portcullis_testkit::{Harness, TestNetwork};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};
use support::Curl;
use support::tools::{Tool, are_available};
use tokio::sync::Mutex;
use tokio_util::sync::{CancellationToken, DropGuard};

const MANAGEMENT: &str = "/edge/management/v1";

/// Identities, and the bytes in a tag of each.
const MANY: usize = 200;
const WIDE: usize = 60 << 10;

/// Lists that are worked out at a time for one identity.
const PLACES: usize = 2;

/// How long a client may leave a part untaken.
const PATIENCE: Duration = Duration::from_secs(8);

/// The places are those of the process: one of these tests has them at a time.
static PLACES_OF_PROCESS: Mutex<()> = Mutex::const_new(());

/// A controller whose list of identities is about 12 MiB long.
struct Long {
    harness: Harness,
    admin: String,
    controller: Arc<ControllerService>,
}

impl Long {
    async fn start() -> Self {
        let harness = Harness::start().await;
        let admin = harness.admin().await;
        for number in 0..MANY {
            let tags = json!({"wide": "w".repeat(WIDE), "number": number});
            let body = json!({"name": format!("n{number:03}"), "isAdmin": false, "tags": tags});
            let request = harness.manage(Method::POST, "/identities", &admin);
            request.json(&body).send().await.id();
        }
        let state = AppState {
            app: harness.app.clone(),
            build: BuildInfo {
                version: "0.0.0",
                build_date: "2031-01-01T00:00:00Z",
                revision: "test",
                runtime: "rust",
            },
            addresses: Vec::new(),
            instance_id: "instance".to_owned(),
            management_channel: None,
            tracer: None,
        };
        let table = RouteTable::new(routes::all(), &[Api::Client, Api::Management]).unwrap();
        let controller = Arc::new(ControllerService::new(Arc::new(state), table));
        Self {
            harness,
            admin,
            controller,
        }
    }

    /// Asks, and reads nothing but the head of the answer.
    fn ask(&self, query: &str) -> impl Future<Output = ServiceResponse> + use<> {
        let address = SocketAddr::new(IpAddr::from([127, 0, 0, 1]), 40_000);
        let connection = Arc::new(Connection {
            peer: address,
            local: address,
            client_certificates: Vec::new().into(),
            server_name: None,
            alpn: None,
            tls_version: TlsVersion::Tls13,
            is_resumed: false,
        });
        let request = http::Request::builder()
            .method(Method::GET)
            .uri(format!("{MANAGEMENT}/identities?{query}"))
            .header("zt-session", &self.admin)
            .body(Body::from(bytes::Bytes::new()))
            .unwrap();
        self.controller.call(&connection, request)
    }

    /// Asks for something short.
    async fn ask_briefly(&self) -> Duration {
        let begun = Instant::now();
        let path = "/identities?filter=name%3D%22admin%22";
        let request = self.harness.manage(Method::GET, path, &self.admin);
        let reply = request.send().await;
        assert_eq!(reply.data().as_array().unwrap().len(), 1);
        begun.elapsed()
    }
}

/// Checks that a body is the whole list.
fn check_whole(body: &[u8]) {
    let body: Value = serde_json::from_slice(body).unwrap();
    let rows = body["data"].as_array().unwrap();
    let ids: BTreeSet<_> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), MANY + 1);
    assert_eq!(rows.len(), MANY + 1);
    let page = &body["meta"]["pagination"];
    assert_eq!(page["totalCount"], MANY + 1);
    assert_eq!(page["limit"], i64::MAX);
    let wide = rows.iter().filter_map(|row| row["tags"]["wide"].as_str());
    assert!(wide.clone().all(|text| text.len() == WIDE));
    assert_eq!(wide.count(), MANY);
}

fn has_no_length(headers: &HeaderMap) -> bool {
    !headers.contains_key("content-length")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_list_comes_in_parts_and_whole() {
    let _places = PLACES_OF_PROCESS.lock().await;
    let long = Long::start().await;
    for query in [
        "limit=-1",
        "filter=limit+none",
        "filter=true+sort+by+name+desc+limit+none",
    ] {
        let answer = long.ask(query).await;
        assert_eq!(answer.status(), 200);
        assert!(has_no_length(answer.headers()));
        assert_eq!(answer.headers()["content-type"], "application/json");
        let mut body = answer.into_body();
        let mut whole = Vec::new();
        let mut parts = 0;
        while let Some(frame) = body.frame().await {
            let part = frame.unwrap().into_data().unwrap();
            assert!(part.len() < 2 << 20, "a part has {} bytes", part.len());
            whole.extend_from_slice(&part);
            parts += 1;
        }
        assert!(whole.len() > 12 << 20);
        assert!(parts >= 8, "{parts}");
        check_whole(&whole);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_goes_away_or_stops_reading_keeps_nobody_from_lists() {
    let _places = PLACES_OF_PROCESS.lock().await;
    let long = Long::start().await;
    // Away after the first part: the places are free at once.
    for _round in 0..3 {
        let mut asked = Vec::new();
        for _ in 0..PLACES {
            let mut answer = long.ask("limit=-1").await;
            assert!(answer.body_mut().frame().await.unwrap().is_ok());
            asked.push(answer);
        }
        // One more waits for a place, and goes away while it does.
        let waits = tokio::time::timeout(Duration::from_millis(20), long.ask("limit=-1"));
        assert!(waits.await.is_err(), "there is no place for one more");
        drop(asked);
        let waited = long.ask_briefly().await;
        assert!(waited < PATIENCE, "{waited:?}");
    }

    // There, but reading no more: given up after a while.
    let mut stalled = Vec::new();
    for _ in 0..PLACES {
        stalled.push(long.ask("limit=-1").await);
    }
    let next = tokio::spawn(long.ask("limit=-1"));
    let waited = long.ask_briefly().await;
    assert!(waited < PATIENCE, "{waited:?}");
    let next = next.await.unwrap();
    assert_eq!(next.status(), 200);
    let next = next.into_body().collect().await.unwrap();
    check_whole(&next.to_bytes());
    for answer in stalled {
        let mut body = answer.into_body();
        let mut taken = 0;
        let end = loop {
            match body.frame().await {
                Some(Ok(frame)) => taken += frame.into_data().unwrap().len(),
                end => break end,
            }
        };
        // What was not whole must not look as if it were.
        assert!(end.unwrap().is_err());
        assert!(taken < 6 << 20, "{taken} bytes waited for the client");
    }
}

/// The controller behind a socket; ends with the guard.
fn serve(long: &Long) -> (SocketAddr, DropGuard) {
    let network = TestNetwork::new(&portcullis_domain::Env {
        clock: long.harness.clock.clone(),
        entropy: long.harness.entropy.clone(),
    });
    let chain = vec![network.server.as_rustls().clone()];
    let key = network.server_key.to_rustls().unwrap();
    let pair = ServerTls::certified_key(chain, key).unwrap();
    let tls = ServerTls::new(vec![pair], TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (address, shutdown) = (listener.local_addr(), CancellationToken::new());
    tokio::spawn(listener.serve(
        long.controller.clone(),
        Arc::new(tls),
        Limits::default(),
        shutdown.clone(),
    ));
    (address, shutdown.drop_guard())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn curl_reads_long_lists_and_may_leave_early() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let _places = PLACES_OF_PROCESS.lock().await;
    let long = Long::start().await;
    let (address, _serving) = serve(&long);
    let url = format!("https://{address}{MANAGEMENT}/identities");
    let token = long.admin.clone();
    let ask = move |limit: &str, more: &[&str]| {
        let curl = Curl::bare(&format!("{url}?limit={limit}"))
            .argument("--insecure")
            .session(&token);
        curl.arguments(more.iter().copied())
    };
    let curl = ask("-1", &["--http1.1"]);
    let reply = tokio::task::spawn_blocking(move || curl.send())
        .await
        .unwrap();
    assert_eq!(reply.status, 200);
    let header = |name: &str| {
        let found = reply.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    };
    assert_eq!(header("transfer-encoding"), Some("chunked"));
    assert_eq!(header("content-length"), None);
    check_whole(&reply.body);
    for flags in [&["--http2"][..], &["--http1.1", "--compressed"]] {
        let curl = ask("-1", flags);
        let reply = tokio::task::spawn_blocking(move || curl.send())
            .await
            .unwrap();
        assert_eq!(reply.status, 200);
        let coding = reply
            .headers
            .iter()
            .find(|(name, _)| name == "content-encoding");
        let is_packed = coding.is_some_and(|(_, coding)| coding == "gzip");
        assert_eq!(is_packed, flags.contains(&"--compressed"), "{flags:?}");
        check_whole(&reply.body);
    }
    let curl = ask("2", &["--http1.1"]);
    let short = tokio::task::spawn_blocking(move || curl.send())
        .await
        .unwrap();
    let length = short
        .headers
        .iter()
        .find(|(name, _)| name == "content-length");
    assert_eq!(length.unwrap().1, short.body.len().to_string());
    let leaving_flags = &[
        "--http1.1",
        "--limit-rate",
        "100k",
        "--max-time",
        "1",
        "--output",
        "/dev/null",
    ];
    // Five clients that leave in the middle, each of them twice.
    for _round in 0..2 {
        let leaving: Vec<_> = (0..5)
            .map(|_| {
                let curl = ask("-1", leaving_flags);
                tokio::task::spawn_blocking(move || curl.output())
            })
            .collect();
        for one in leaving {
            one.await.unwrap();
        }
        let waited = long.ask_briefly().await;
        assert!(waited < PATIENCE, "{waited:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn slow_readers_get_all_of_it_or_hear_that_they_do_not() {
    let _places = PLACES_OF_PROCESS.lock().await;
    let long = Long::start().await;
    let (mut slow, mut late) = (long.ask("limit=-1").await, long.ask("limit=-1").await);
    // One takes its time over each part, longer in all than any single part may take.
    let reading = tokio::spawn(async move {
        let mut whole = Vec::new();
        while let Some(frame) = slow.body_mut().frame().await {
            whole.extend_from_slice(&frame.unwrap().into_data().unwrap());
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        whole
    });
    // The other stops for too long, and goes on as if nothing had been.
    tokio::time::sleep(PATIENCE + Duration::from_secs(1)).await;
    let end = loop {
        match late.body_mut().frame().await {
            Some(Ok(_part)) => {},
            end => break end,
        }
    };
    assert!(end.unwrap().is_err(), "half a list looks like a whole one");
    check_whole(&reading.await.unwrap());
}
