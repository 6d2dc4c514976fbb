//! What the handles of a session and its task have in common.

use crate::edge_router::EdgeRouter;
use crate::error::SessionError;
use crate::identity::EdgeIdentity;
use crate::open_session::OpenSession;
use crate::options::SessionOptions;
use crate::own_identity::OwnIdentity;
use crate::service::Services;
use crate::state::SessionState;
use portcullis_domain::entropy;
use portcullis_domain::posture::Report;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Notify, watch};

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) identity: EdgeIdentity,
    pub(crate) options: SessionOptions,
    pub(crate) state: watch::Sender<SessionState>,
    pub(crate) open: watch::Sender<Option<Arc<OpenSession>>>,
    pub(crate) services: watch::Sender<Option<Arc<Services>>>,
    pub(crate) own_identity: watch::Sender<Option<Arc<OwnIdentity>>>,
    pub(crate) edge_routers: watch::Sender<Arc<[EdgeRouter]>>,
    pub(crate) posture: watch::Sender<Arc<[Report]>>,
    /// Attempts to read the services.
    pub(crate) reads: watch::Sender<Attempts>,
    /// Attempts to tell the controller the posture.
    pub(crate) posture_told: watch::Sender<Attempts>,
    /// Attempts to see whether the session still counts.
    pub(crate) checks: watch::Sender<Attempts>,
    pub(crate) requests: Requests,
}

/// Attempts so far, and how the last one has ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attempts {
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    pub(crate) failure: Option<SessionError>,
}

/// What handles ask of the task.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    pub(crate) log_in: Notify,
    /// To see whether the session still counts.
    pub(crate) check: Notify,
    pub(crate) read_services: Notify,
    pub(crate) tell_posture: Notify,
    pub(crate) endpoint: EndpointEvents,
}

/// What has happened to the computer and was not told yet.
#[derive(Debug, Default)]
pub(crate) struct EndpointEvents {
    woken: AtomicBool,
    unlocked: AtomicBool,
}

impl EndpointEvents {
    pub(crate) fn add(&self, woken: bool, unlocked: bool) {
        self.woken.fetch_or(woken, Ordering::Relaxed);
        self.unlocked.fetch_or(unlocked, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Option<Report> {
        let woken = self.woken.swap(false, Ordering::Relaxed);
        let unlocked = self.unlocked.swap(false, Ordering::Relaxed);
        (woken || unlocked).then_some(Report::EndpointState { woken, unlocked })
    }
}

impl Shared {
    pub(crate) fn new(identity: EdgeIdentity, options: SessionOptions) -> Self {
        Self {
            identity,
            options,
            state: watch::Sender::new(SessionState::LoggingIn),
            open: watch::Sender::new(None),
            services: watch::Sender::new(None),
            own_identity: watch::Sender::new(None),
            edge_routers: watch::Sender::new(Arc::default()),
            posture: watch::Sender::new(Arc::default()),
            reads: watch::Sender::new(Attempts::default()),
            posture_told: watch::Sender::new(Attempts::default()),
            checks: watch::Sender::new(Attempts::default()),
            requests: Requests::default(),
        }
    }

    /// Configuration types that are asked for.
    pub(crate) fn config_types(&self) -> &[String] {
        let of_program = &self.options.config_types;
        if of_program.is_empty() {
            &self.identity.config_types
        } else {
            of_program
        }
    }

    /// A random number. Without randomness, pauses are merely the shortest.
    pub(crate) fn random(&self) -> u32 {
        let bytes = entropy::bytes(&*self.options.env.entropy);
        bytes.map(u32::from_be_bytes).unwrap_or_default()
    }
}

/// Tells a value if it is another one.
pub(crate) fn publish<T: PartialEq>(sender: &watch::Sender<T>, value: T) {
    sender.send_if_modified(|current| {
        let is_other = *current != value;
        if is_other {
            *current = value;
        }
        is_other
    });
}

/// Counts an attempt that begins.
pub(crate) fn begin(attempts: &watch::Sender<Attempts>) {
    attempts.send_modify(|attempts| attempts.begun += 1);
}

/// Counts the attempt as ended.
pub(crate) fn end(attempts: &watch::Sender<Attempts>, failure: Option<SessionError>) {
    attempts.send_modify(|attempts| {
        attempts.ended = attempts.begun;
        attempts.failure = failure;
    });
}
