//! What one fetch, and all of them together, may cost.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_fetch::{FetchError, Fetcher, Resolve, ResolveFuture};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::server::{KEYS, Reply, Server, Then};
use crate::setting::{fetch, fetcher, near};

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

fn hurried() -> FetchRules {
    FetchRules {
        timeout: Duration::from_millis(200),
        ..near()
    }
}

async fn error_of(rules: FetchRules, make: fn() -> Reply) -> FetchError {
    let server = Server::start(move |_| make()).await;
    let fetched = fetch(&fetcher(rules), &server.url("127.0.0.1", "/")).await;
    server.was_left().await;
    fetched.unwrap_err()
}

#[tokio::test]
async fn bodies_end_at_a_mebibyte() {
    const MIB: usize = 1024 * 1024;
    for (length, is_taken) in [(MIB, true), (MIB + 1, false)] {
        let body = "x".repeat(length);
        let json = "content-type: application/json\r\n";
        let server = Server::start(move |path| match path {
            "/known" => Reply::new(200, json, &body),
            _ => Reply::raw(&format!("{HEAD}\r\n{body}")),
        })
        .await;
        for path in ["/known", "/until-the-end"] {
            let fetched = fetch(&fetcher(near()), &server.url("127.0.0.1", path)).await;
            assert_eq!(
                fetched.as_ref().ok().map(String::len),
                is_taken.then_some(length)
            );
        }
    }
}

#[tokio::test]
async fn bodies_that_are_too_large_are_given_up() {
    let cases: [fn() -> Reply; 3] = [
        || Reply::raw(&format!("{HEAD}content-length: 10737418240\r\n\r\n{{")).then(Then::Wait),
        || Reply::raw(&format!("{HEAD}\r\n")).then(Then::Repeat(&[b' '; 4096])),
        || {
            let head = format!("{HEAD}transfer-encoding: chunked\r\n\r\n");
            Reply::raw(&head).then(Then::Repeat(b"10\r\n0123456789abcdef\r\n"))
        },
    ];
    for make in cases {
        let error = error_of(near(), make).await;
        assert!(
            matches!(
                error,
                FetchError::TooLarge {
                    most: 1_048_576,
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn heads_that_are_too_large_are_given_up() {
    let cases: [fn() -> Reply; 3] = [
        || Reply::raw(HEAD).then(Then::Repeat(b"x: 0123456789abcdef\r\n")),
        || Reply::raw(HEAD).then(Then::Repeat(&[b'x'; 4096])),
        || {
            let head = format!("{HEAD}transfer-encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n");
            Reply::raw(&head).then(Then::Repeat(b"x: 0123456789abcdef\r\n"))
        },
    ];
    for make in cases {
        let error = error_of(near(), make).await;
        assert!(
            matches!(error, FetchError::InvalidResponse { .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn the_whole_fetch_has_one_deadline() {
    let cases: [fn() -> Reply; 5] = [
        || Reply::raw("").then(Then::Wait),
        || Reply::raw(HEAD).then(Then::Wait),
        || Reply::raw(&format!("{HEAD}\r\n{{")).then(Then::Wait),
        || Reply::raw("").then(Then::Repeat(b"HTTP/1.1 100 Continue\r\n\r\n")),
        || Reply::moved("/again").then(Then::Wait),
    ];
    for make in cases {
        let rules = FetchRules {
            max_redirects: u32::MAX,
            ..hurried()
        };
        let error = error_of(rules, make).await;
        let text = "fetching from host 127.0.0.1 took longer than 200 ms";
        assert_eq!(error.to_string(), text);
    }
}

#[tokio::test]
async fn a_handshake_that_does_not_end_is_given_up() {
    // Reads what it is sent as a request that never ends.
    let server = Server::start(|_| Reply::keys()).await;
    let url = server.url("127.0.0.1", "/").replace("http:", "https:");
    let error = fetch(&fetcher(hurried()), &url).await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { .. }), "{error:?}");
}

/// Lets nobody through until it is told to, and counts who stands before it.
struct Gate {
    entered: Semaphore,
    leave: Semaphore,
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Resolve for Gate {
    fn resolve<'r>(&'r self, _host: &'r str) -> ResolveFuture<'r> {
        Box::pin(async {
            let inside = self.inside.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(inside, Ordering::Relaxed);
            self.entered.add_permits(1);
            self.leave.acquire().await.unwrap().forget();
            self.inside.fetch_sub(1, Ordering::Relaxed);
            Err(io::ErrorKind::NotFound.into())
        })
    }
}

impl Gate {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            entered: Semaphore::new(0),
            leave: Semaphore::new(0),
            inside: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        })
    }

    /// Sends fetches through this gate, and waits until as many as may be stand before it.
    async fn crowd(self: &Arc<Self>, rules: FetchRules, count: usize) -> (Arc<Fetcher>, Running) {
        let fetcher = Arc::new(fetcher(rules).with_resolver(self.clone()));
        let running = (0..count)
            .map(|_| {
                let fetcher = Arc::clone(&fetcher);
                tokio::spawn(async move { fetch(&fetcher, "https://idp.test/").await })
            })
            .collect();
        self.entered.acquire_many(64).await.unwrap().forget();
        (fetcher, running)
    }
}

type Running = Vec<JoinHandle<Result<String, FetchError>>>;

fn patient() -> FetchRules {
    FetchRules {
        timeout: Duration::from_secs(20),
        ..near()
    }
}

#[tokio::test]
async fn sixty_four_fetches_run_at_a_time() {
    let gate = Gate::new();
    let (_fetcher, running) = gate.crowd(patient(), 80).await;
    gate.leave.add_permits(running.len());
    for fetch in running {
        let error = fetch.await.unwrap().unwrap_err();
        assert!(matches!(error, FetchError::Unresolved { .. }), "{error:?}");
    }
    assert_eq!(gate.most.load(Ordering::Relaxed), 64);
}

#[tokio::test]
async fn time_for_a_fetch_begins_with_its_turn() {
    let gate = Gate::new();
    let (fetcher, hung) = gate.crowd(hurried(), 64).await;
    let server = Server::start(|_| Reply::keys()).await;
    let document = fetch(&fetcher, &server.url("127.0.0.1", "/")).await;
    assert_eq!(document.unwrap(), KEYS);
    for fetch in hung {
        let error = fetch.await.unwrap().unwrap_err();
        assert!(matches!(error, FetchError::TimedOut { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn who_waits_too_long_for_a_turn_is_sent_away() {
    let gate = Gate::new();
    let (fetcher, _hung) = gate.crowd(patient(), 64).await;
    let server = Server::start(|_| Reply::keys()).await;
    let error = fetch(&fetcher, &server.url("127.0.0.1", "/")).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "too many fetches (64) are already running; host 127.0.0.1 was not contacted"
    );
    assert_eq!(server.accepted(), 0);
}
