//! All channels of a controller.

use crate::admission::{Admission, Admissions};
use crate::closing::Closing;
use crate::connection::{self, ChannelParts, End};
use crate::exchange::Exchange;
use crate::limits::ChannelLimits;
use crate::queries::NetworkQueries;
use crate::standing::{CommitWatch, Standing};
use portcullis_app::App;
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_event_sinks::EventBus;
use std::fmt;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// The management channels of a controller.
pub struct ManagementChannel {
    app: Arc<App>,
    bus: EventBus,
    queries: Arc<dyn NetworkQueries>,
    limits: ChannelLimits,
    /// Id of the controller.
    controller: Arc<str>,
    commits: CommitWatch,
    admissions: Admissions,
}

impl ManagementChannel {
    /// Must be called inside a Tokio runtime.
    pub fn new(
        app: &Arc<App>,
        bus: EventBus,
        queries: Arc<dyn NetworkQueries>,
        limits: ChannelLimits,
    ) -> Self {
        let controller = app.network().serving_state().controller.id.as_str().into();
        Self {
            commits: CommitWatch::start(app),
            app: Arc::clone(app),
            bus,
            queries,
            limits,
            controller,
            admissions: Admissions::default(),
        }
    }

    /// Number of channels that are open.
    pub fn count(&self) -> usize {
        self.admissions.count()
    }

    /// Takes a caller in; `None` if there are too many channels.
    pub fn open(&self, permit: Permit<OpenChannel>) -> Option<OpenedChannel> {
        let identity = permit.caller().identity_number;
        let admission = self.admissions.admit(identity, &self.limits)?;
        let standing = self.commits.follow(&self.app, &permit);
        Some(OpenedChannel {
            parts: ChannelParts {
                exchange: Exchange::new(Arc::clone(&self.controller), self.limits),
                permit,
                controller: Arc::clone(&self.controller),
                bus: self.bus.clone(),
                queries: Arc::clone(&self.queries),
                queued_events: self.limits.queued_events,
            },
            standing,
            admission,
        })
    }
}

impl fmt::Debug for ManagementChannel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ManagementChannel")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// A channel whose client was taken in.
pub struct OpenedChannel {
    parts: ChannelParts,
    standing: Standing,
    admission: Admission,
}

impl OpenedChannel {
    /// Speaks with the client over a connection that is a `WebSocket` already, until one of both ends it or
    /// `shutdown` is cancelled.
    pub async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send,
        shutdown: CancellationToken,
    ) {
        let caller = self.parts.permit.caller();
        let identity = caller.identity.clone();
        let peer = caller.origin.address();
        tracing::info!(%identity, %peer, "a management channel is open");
        let standing = self.standing;
        let closing = async {
            tokio::select! {
                biased;
                () = shutdown.cancelled() => Closing::ControllerStops,
                () = standing.ended() => Closing::NoRight,
            }
        };
        let end = Box::pin(connection::run(stream, self.parts, closing)).await;
        drop(self.admission);
        match end {
            End::Client => tracing::info!(%identity, %peer, "a management channel was closed"),
            End::Stalled => {
                tracing::warn!(%identity, %peer, "a management channel is closed: its client takes nothing");
            },
            End::Controller(why @ (Closing::NoRight | Closing::ControllerStops)) => {
                tracing::info!(%identity, %peer, %why, "a management channel is closed");
            },
            End::Controller(why) => {
                tracing::warn!(%identity, %peer, %why, "a management channel is closed");
            },
        }
    }
}

impl fmt::Debug for OpenedChannel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("OpenedChannel")
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
