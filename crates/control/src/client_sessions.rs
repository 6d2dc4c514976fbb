//! Sessions of clients, as edge routers are told of them.
//!
//! A router gets all sessions once, and from then on what commits change, in their order. What is
//! committed while the former are on their way waits, and follows them. The full state is made once for
//! all routers that want it at the same time, as after a start of the controller, and is written as fast
//! as each router reads. A router that does not take its news gets the full state again later on.

mod message;
mod sync_state;

use crate::model::Sent;
use crate::plane::Plane;
use crate::session::Session;
use message::FullState;
use parking_lot::Mutex;
use portcullis_app::sessions::for_routers::SessionNews;
use portcullis_channel::{Message, SendErrorKind};
use portcullis_data_model::session_sync::SyncIds;
use portcullis_domain::view::SyncStatus;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

pub(crate) use sync_state::SyncState;

/// Messages of a full state that are on their way to one router.
const WINDOW: usize = 8;
/// Pause of a sender whose router does not read, and of one whose store cannot be read.
const PAUSE: Duration = Duration::from_millis(200);

/// Tells edge routers of sessions.
pub(crate) struct ClientSessions {
    ids: Mutex<SyncIds>,
    /// Routers that want all sessions.
    wanted: mpsc::UnboundedSender<Arc<Session>>,
}

/// The routers that want all sessions.
pub(crate) type Wanted = mpsc::UnboundedReceiver<Arc<Session>>;

impl ClientSessions {
    pub(crate) fn new() -> (Self, Wanted) {
        let (wanted, requests) = mpsc::unbounded_channel();
        let sessions = Self {
            ids: Mutex::default(),
            wanted,
        };
        (sessions, requests)
    }

    /// Sends a router all sessions, and from then on what changes.
    pub(crate) fn synchronize(&self, router: &Arc<Session>) {
        router.client_sessions.lock().begin();
        router.set_sync_status(SyncStatus::InProgress);
        // Nobody is there any more when the controller stops.
        let _ = self.wanted.send(Arc::clone(router));
    }

    /// Tells all routers what a commit has changed.
    pub(crate) fn publish(&self, plane: &Plane, revision: u64, news: Vec<SessionNews>) {
        if news.is_empty() {
            return;
        }
        let is_everything = |news: &SessionNews| matches!(news, SessionNews::Everything);
        let begins_anew = news.iter().any(is_everything);
        let id = self.next_id(plane);
        let messages: Arc<[Message]> = message::of_news(&id, news).into();
        for router in plane.sessions.all() {
            let needs_all = {
                let mut state = router.client_sessions.lock();
                if begins_anew {
                    state.is_begun()
                } else {
                    !state.publish(revision, &messages, |message| router.try_send(message))
                }
            };
            if needs_all {
                self.synchronize(&router);
            }
        }
    }

    fn next_id(&self, plane: &Plane) -> String {
        let now = plane.app.env().now().as_millisecond();
        let millis = u64::try_from(now).unwrap_or_default();
        self.ids.lock().next(millis)
    }
}

/// Serves the routers that want all sessions.
pub(crate) async fn run(plane: Arc<Plane>, mut wanted: Wanted) {
    while let Some(first) = wanted.recv().await {
        let mut routers = vec![first];
        while let Ok(another) = wanted.try_recv() {
            routers.push(another);
        }
        // Known before the state is read: whoever wants it again later gets a later one.
        let rounds = routers.into_iter().map(|router| {
            let round = router.client_sessions.lock().round();
            (router, round)
        });
        let rounds: Vec<_> = rounds.collect();
        let full = full_state(&plane).await;
        for (router, round) in rounds {
            let (plane, full) = (Arc::clone(&plane), Arc::clone(&full));
            let (stop, tasks) = (plane.stop.clone(), plane.tasks.clone());
            tasks.spawn(async move {
                let sending = send_all(&plane, (&router, round), &full);
                let _stopped = stop.run_until_cancelled(sending).await;
            });
        }
    }
}

/// All sessions as they are now, whatever it takes.
async fn full_state(plane: &Arc<Plane>) -> Arc<FullState> {
    loop {
        let id = plane.client_sessions.next_id(plane);
        let app = Arc::clone(&plane.app);
        let reading = tokio::task::spawn_blocking(move || FullState::read(&app, &id));
        match reading.await {
            Ok(Ok(full)) => return Arc::new(full),
            Ok(Err(error)) => tracing::warn!(%error, "routers are not told of sessions yet"),
            Err(error) => tracing::error!(%error, "the reading of sessions has failed"),
        }
        sleep(PAUSE).await;
    }
}

/// Sends a router all sessions, as fast as it reads, and then what has changed since.
async fn send_all(plane: &Plane, (router, round): (&Arc<Session>, u64), full: &FullState) {
    let mut on_the_way: VecDeque<Sent> = VecDeque::new();
    for message in &full.messages {
        while on_the_way.len() >= WINDOW {
            if let Some(oldest) = on_the_way.pop_front() {
                oldest.await;
            }
        }
        let Some(written) = send(router, message).await else {
            return;
        };
        on_the_way.push_back(written);
    }
    let is_complete = router
        .client_sessions
        .lock()
        .finish(round, full.revision, |message| router.try_send(message));
    match is_complete {
        Some(true) => router.set_sync_status(SyncStatus::Done),
        Some(false) => plane.client_sessions.synchronize(router),
        // The router has wanted it once more meanwhile.
        None => {},
    }
}

/// Sends one message when there is room; `None` once the channel is closed.
async fn send(router: &Session, message: &Message) -> Option<Sent> {
    loop {
        match router.send_tracked(message.clone()) {
            Ok(written) => return Some(written),
            Err(SendErrorKind::QueueFull) => sleep(PAUSE).await,
            Err(_) => return None,
        }
    }
}
