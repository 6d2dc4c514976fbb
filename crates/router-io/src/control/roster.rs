//! Sessions with all controllers that are known, and with no others.

use std::future::pending;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_router::control::{EndpointsFile, Target};
use portcullis_router::edge::Recipient;
use portcullis_wire::control::ControlMessage;
use tokio::task::spawn_blocking;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::connector::Place;
use super::session::Session;
use super::{Context, endpoints};
use portcullis_domain::error_sources::with_sources;

pub(super) struct Roster {
    context: Arc<Context>,
    sessions: Vec<Running>,
    /// As written last.
    file: Option<EndpointsFile>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

struct Running {
    place: Arc<Place>,
    stop: CancellationToken,
}

impl Roster {
    pub(super) const fn new(
        context: Arc<Context>,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Self {
        Self {
            context,
            sessions: Vec::new(),
            file: None,
            tasks,
            stop,
        }
    }

    /// Follows what is known, until the end. Then it waits until all channels are closed.
    pub(super) async fn run(mut self) {
        let stop = self.stop.clone();
        stop.run_until_cancelled(self.follow()).await;
        let channels = self.context.transport.tasks();
        channels.close();
        channels.wait().await;
    }

    async fn follow(&mut self) {
        let context = Arc::clone(&self.context);
        loop {
            self.update_sessions();
            self.save().await;
            self.ask_leader();
            let deadline = context.known.lock().deadline();
            let timer = async {
                match deadline {
                    Some(at) => sleep_until(context.clock.instant_of(at)).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                () = context.news.notified() => {},
                () = timer => {},
            }
        }
    }

    fn update_sessions(&mut self) {
        let context = Arc::clone(&self.context);
        // Held, so that no session is identified meanwhile.
        let known = context.known.lock();
        let mut targets = known.targets();
        self.sessions.retain(|session| {
            let target = session.place.target.lock().clone();
            let wanted = targets.remove(&target);
            if let Some(addresses) = wanted {
                *session.place.addresses.lock() = addresses;
                return true;
            }
            session.stop.cancel();
            context.failures.clear(&target);
            false
        });
        for (target, addresses) in targets {
            let place = Arc::new(Place {
                target: Mutex::new(target),
                addresses: Mutex::new(addresses),
                reached: Mutex::new(None),
            });
            let stop = self.stop.child_token();
            let session = Session::new(Arc::clone(&context), Arc::clone(&place), stop.clone());
            self.tasks.spawn(session.run());
            self.sessions.push(Running { place, stop });
        }
    }

    /// Writes the endpoints file if it has to say something else.
    async fn save(&mut self) {
        let file = self.context.known.lock().file();
        let Some(file) = file.filter(|file| self.file.as_ref() != Some(file)) else {
            return;
        };
        let path = self.context.settings.endpoints_file.clone();
        let text = file.to_text();
        let shown = path.display().to_string();
        let written = spawn_blocking(move || endpoints::write(&path, &text)).await;
        match written.map_err(std::io::Error::other).flatten() {
            Ok(()) => {
                tracing::info!(file = %shown, controllers = file.controllers.len(), "addresses of controllers written to the endpoints file");
            },
            Err(error) => {
                let error = with_sources(&error);
                tracing::warn!(file = %shown, error, "the endpoints file cannot be written");
            },
        }
        // A file that cannot be written is tried again with the next change.
        self.file = Some(file);
    }

    fn ask_leader(&self) {
        let now = self.context.clock.timestamp();
        let leader = self.context.known.lock().poll(now);
        if let Some(leader) = leader {
            let controllers = &self.context.controllers;
            let question = ControlMessage::RequestClusterMembers;
            let _is_gone = controllers.tell(&Recipient::Only(leader), &question);
        }
    }
}

impl Place {
    /// Whether only the address is known.
    pub(super) fn is_unnamed(&self) -> bool {
        matches!(*self.target.lock(), Target::Address(_))
    }
}
