//! The API session as routers are shown it.

use portcullis_channel::UnixNanos;
use portcullis_domain::clock::Clock as WallClock;
use portcullis_edge_session::{ApiSession, SessionState};
use portcullis_sdk_proto as proto;
use portcullis_transport::Clock;
use portcullis_wire::Token;
use secrecy::ExposeSecret as _;
use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The sessions that a program has, one after the other.
#[derive(Clone)]
pub(crate) struct Sessions {
    states: watch::Receiver<SessionState>,
    clock: Clock,
    wall: Arc<dyn WallClock>,
}

impl Sessions {
    pub(crate) const fn new(
        states: watch::Receiver<SessionState>,
        clock: Clock,
        wall: Arc<dyn WallClock>,
    ) -> Self {
        Self {
            states,
            clock,
            wall,
        }
    }

    /// The next session, or the next token of the same one.
    pub(crate) async fn next(&mut self) -> proto::ApiSession {
        loop {
            if self.states.changed().await.is_err() {
                return pending().await;
            }
            let open = self.states.borrow_and_update().open().map(Arc::clone);
            if let Some(session) = open {
                return self.shown(&session);
            }
        }
    }

    /// What routers are shown of a session.
    pub(crate) fn shown(&self, session: &ApiSession) -> proto::ApiSession {
        let left = session.expires_at.map(|at| {
            let left = at.duration_since(self.wall.now());
            Duration::try_from(left).unwrap_or_default()
        });
        proto::ApiSession {
            token: Token::new(session.token.expose_secret().to_owned()),
            expires_at: left.map(|left| self.clock.now().mono + left),
        }
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").finish_non_exhaustive()
    }
}

/// The time of a wall clock, as channels have it.
pub(crate) fn unix_nanos(wall: &dyn WallClock) -> UnixNanos {
    UnixNanos(u64::try_from(wall.now().as_nanosecond()).unwrap_or_default())
}
