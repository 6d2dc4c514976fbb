//! S-47: whatever ends a session has ended it when that is acknowledged, whoever is using it at that
//! moment and from wherever.
//!
//! An ending is a request. While it is made, clients use the session on all threads without a pause; what
//! they ask after the answer to it is refused, each time, and who was refused once is never let in again.
//! `PORTCULLIS_RACE_ROUNDS` makes more rounds of it.

mod endings;

use crate::enrollment::races::rounds;
use ::support::wait::DEFAULT_TIMEOUT;
use endings::{ENDS, End, Ending, World};
use http::Method;
use portcullis_testkit::Harness;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Clients that use the session at the same time.
const CLIENTS: usize = 8;

/// Requests of each that are refused before it believes it.
const REFUSALS: usize = 4;

/// What the clients of one session share.
#[derive(Default)]
struct Use {
    /// Whether the end was acknowledged.
    is_over: AtomicBool,
    /// Requests that were let in.
    let_in: AtomicUsize,
}

/// Uses a session until it is refused for good; an error says what should not have happened.
async fn use_it(controller: &Harness, session: &str, shared: &Use) -> Result<(), String> {
    let begin = Instant::now();
    let mut refused = 0;
    while refused < REFUSALS {
        let was_over = shared.is_over.load(Ordering::SeqCst);
        // What takes a full session.
        let request = controller.request(Method::GET, "/edge/client/v1/services");
        let reply = request.session(session).send().await;
        match reply.status.as_u16() {
            200 if was_over => return Err("let in after the end was acknowledged".to_owned()),
            200 if refused > 0 => return Err("let in after it had been refused".to_owned()),
            200 => _ = shared.let_in.fetch_add(1, Ordering::SeqCst),
            401 => refused += 1,
            // It was there when the session was judged, and no more when it was asked about.
            404 if !was_over => refused += 1,
            status => return Err(format!("{status}: {}", reply.text())),
        }
        if begin.elapsed() > DEFAULT_TIMEOUT {
            return Err("never ended".to_owned());
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Ends a session that is in use; answers how long it took until that was acknowledged.
async fn race(controller: &Arc<Harness>, end: End, ending: Ending) -> Duration {
    let shared = Arc::new(Use::default());
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (controller, shared) = (controller.clone(), shared.clone());
        let session = ending.session.clone();
        clients.spawn(async move { use_it(&controller, &session, &shared).await });
    }
    let begin = Instant::now();
    while shared.let_in.load(Ordering::SeqCst) < 2 * CLIENTS && !clients.is_empty() {
        assert!(
            begin.elapsed() < DEFAULT_TIMEOUT,
            "{end:?}: nobody is let in"
        );
        tokio::task::yield_now().await;
        if let Some(ended) = clients.try_join_next() {
            panic!("{end:?}: a client ended before the session did: {ended:?}");
        }
    }
    let (method, path) = ending.request;
    let request = controller.request(method.clone(), &path);
    let request = request
        .session(&ending.by)
        .certificates(&ending.certificates);
    let request = match method {
        Method::DELETE => request,
        _ => request.json(&ending.body),
    };
    let begin = Instant::now();
    let reply = request.send().await;
    shared.is_over.store(true, Ordering::SeqCst);
    let took = begin.elapsed();
    assert!(reply.status.is_success(), "{end:?}: {}", reply.text());
    for outcome in clients.join_all().await {
        assert_eq!(outcome, Ok(()), "{end:?}");
    }
    took
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_uses_a_session_is_out_when_its_end_is_acknowledged() {
    let mut world = World::new().await;
    let mut times = Vec::new();
    for _ in 0..rounds(2) {
        for end in ENDS {
            let ending = world.open(end).await;
            times.push(race(&world.controller, end, ending).await);
        }
    }
    times.sort_unstable();
    let last = times[(times.len() * 99).div_ceil(100) - 1];
    assert!(last < Duration::from_secs(1), "p99 is {last:?}");
}
