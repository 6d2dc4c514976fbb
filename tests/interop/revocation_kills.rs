//! S-47 over sockets: whatever ends a session has ended it on every connection, kept or new, when that is
//! acknowledged, and it stays ended if the controller is killed right then.

mod endings;

use crate::kill::{authorities, client};
use endings::{ENDS, open};
use portcullis_client::{Api as Surface, Client, ClientError, Endpoint, Trust};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::tools::are_available;
use support::{Api, Controller, TestDirectory, Tool, wait};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Clients that keep their connection, and such as make one for each request.
const KEPT: usize = 4;
const FRESH: usize = 2;

/// Requests of each client that are refused before it believes it.
const REFUSALS: usize = 4;

/// What the clients of one session share.
#[derive(Default)]
struct Use {
    /// Whether the end was acknowledged.
    is_over: AtomicBool,
    /// Requests that were let in.
    let_in: AtomicUsize,
}

/// How a controller answers the holder of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    LetIn,
    Refused,
    /// It was there when the session was judged, and no more when it was asked about.
    Vanished,
    /// The controller is gone.
    Gone,
}

async fn ask(client: &Client) -> Answer {
    // What takes a full session.
    let services = Endpoint::new(Surface::Client, "services");
    match client.get::<Value>(&services).await {
        Ok(_) => Answer::LetIn,
        Err(ClientError::Unreachable { .. } | ClientError::Interrupted { .. }) => Answer::Gone,
        Err(error) => match error.refusal().map(|refusal| refusal.status) {
            Some(401) => Answer::Refused,
            Some(404) => Answer::Vanished,
            _ => panic!("{error}"),
        },
    }
}

/// Uses a session until it is refused for good, or the controller is gone; an error says what should
/// not have happened. `connect` gives the client for each request.
async fn use_it(connect: impl Fn() -> Client, shared: &Use) -> Result<(), &'static str> {
    let mut refused = 0;
    while refused < REFUSALS {
        let was_over = shared.is_over.load(Ordering::SeqCst);
        match ask(&connect()).await {
            Answer::LetIn if was_over => return Err("let in after the end was acknowledged"),
            Answer::LetIn if refused > 0 => return Err("let in after it had been refused"),
            Answer::LetIn => _ = shared.let_in.fetch_add(1, Ordering::SeqCst),
            Answer::Vanished if was_over => return Err("not refused but told that it is gone"),
            Answer::Refused | Answer::Vanished => refused += 1,
            Answer::Gone => return Ok(()),
        }
    }
    Ok(())
}

/// Lets clients of both kinds use a session, and returns when they do.
fn crowd(
    runtime: &Runtime,
    controller: &Controller,
    session: &str,
    shared: &Arc<Use>,
) -> JoinSet<Result<(), &'static str>> {
    let mut clients = JoinSet::new();
    for number in 0..KEPT + FRESH {
        let shared = Arc::clone(shared);
        let kept = client(controller).with_session(session.into());
        if number < KEPT {
            let using = async move { use_it(|| kept.clone(), &shared).await };
            clients.spawn_on(using, runtime.handle());
        } else {
            let fresh = fresh(controller, session);
            let using = async move { use_it(fresh, &shared).await };
            clients.spawn_on(using, runtime.handle());
        }
    }
    let in_use = wait::until(wait::DEFAULT_TIMEOUT, || {
        match shared.let_in.load(Ordering::SeqCst) {
            count if count > 2 * (KEPT + FRESH) => Ok(()),
            count => Err(count),
        }
    });
    assert_eq!(in_use, Ok(()), "the session is let in");
    clients
}

/// Makes clients that have no connection yet.
fn fresh(controller: &Controller, session: &str) -> impl Fn() -> Client + Send + 'static {
    let url = controller.url().parse().unwrap();
    let authorities = authorities(controller);
    let session = session.to_owned();
    move || {
        let trust = Trust::anchors(authorities.iter().cloned());
        let client = Client::builder(&url, trust).build().unwrap();
        client.with_session(session.as_str().into())
    }
}

#[test]
fn ended_session_is_refused_on_every_connection() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let runtime = Runtime::new().unwrap();
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let mut times = Vec::new();
    for end in ENDS {
        let ending = open((&site, &admin), end, &format!("{end:?}"));
        let shared = Arc::new(Use::default());
        let clients = crowd(&runtime, &controller, &ending.session, &shared);
        let begin = Instant::now();
        ending.inflict();
        shared.is_over.store(true, Ordering::SeqCst);
        times.push(begin.elapsed());
        for outcome in runtime.block_on(clients.join_all()) {
            assert_eq!(outcome, Ok(()), "{end:?}");
        }
    }
    // With the start of a process for each request, so there is room to spare.
    times.sort_unstable();
    assert!(times[times.len() / 2] < Duration::from_secs(1), "{times:?}");
}

#[test]
fn ended_session_stays_ended_if_the_controller_is_killed_right_then() {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let runtime = Runtime::new().unwrap();
    let site = TestDirectory::new();
    let mut controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let mut ended = Vec::new();
    for end in ENDS {
        let ending = open((&site, &admin), end, &format!("{end:?}"));
        let shared = Arc::new(Use::default());
        let clients = crowd(&runtime, &controller, &ending.session, &shared);
        ending.inflict();
        controller.kill();
        shared.is_over.store(true, Ordering::SeqCst);
        for outcome in runtime.block_on(clients.join_all()) {
            assert_eq!(outcome, Ok(()), "{end:?}");
        }
        controller = site.quickstart().start();
        ended.push((end, ending.session));
        for (end, session) in &ended {
            let again = client(&controller).with_session(session.as_str().into());
            for _ in 0..REFUSALS {
                assert_eq!(runtime.block_on(ask(&again)), Answer::Refused, "{end:?}");
            }
        }
        // The others' are not.
        assert_eq!(admin.get("/identities").status, 200);
    }
}
