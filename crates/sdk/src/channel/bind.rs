//! A service that is hosted at one router.

use super::offers::OfferSink;
use super::shared::Shared;
use portcullis_sdk_proto::{BindEnd, BindError, BindId, BindRequest};
use portcullis_wire::Precedence;
use std::sync::Arc;
use tokio::sync::watch;

/// How far a bind has come.
#[derive(Debug, Clone)]
pub(crate) enum BindState {
    Asked,
    /// Dials of the service may arrive.
    Bound,
    Ended(BindEnd),
}

/// A service that is hosted at one router. Dropping it ends that; its connections go on.
#[derive(Debug)]
pub(crate) struct Bind {
    shared: Arc<Shared>,
    id: BindId,
    state: watch::Receiver<BindState>,
}

impl Bind {
    pub(super) fn start(
        shared: &Arc<Shared>,
        request: BindRequest,
        offers: OfferSink,
    ) -> Result<Self, BindError> {
        let (sender, state) = watch::channel(BindState::Asked);
        let id = shared.update(|channel, now| {
            let id = channel.edge.bind(request, now)?;
            channel.own_bind(id, sender, offers);
            Ok(id)
        })?;
        Ok(Self {
            shared: Arc::clone(shared),
            id,
            state,
        })
    }

    /// Waits until dials may arrive.
    pub(crate) async fn bound(&mut self) -> Result<(), BindEnd> {
        self.wait(|state| match state {
            BindState::Asked => None,
            BindState::Bound => Some(Ok(())),
            BindState::Ended(why) => Some(Err(why.clone())),
        })
        .await
        .unwrap_or(Err(BindEnd::ChannelEnded))
    }

    /// Waits until it is over.
    pub(crate) async fn ended(&mut self) -> BindEnd {
        self.wait(|state| match state {
            BindState::Asked | BindState::Bound => None,
            BindState::Ended(why) => Some(why.clone()),
        })
        .await
        .unwrap_or(BindEnd::ChannelEnded)
    }

    /// `None` if nobody will ever tell.
    async fn wait<R>(&mut self, mut find: impl FnMut(&BindState) -> Option<R>) -> Option<R> {
        let mut found = None;
        let waiting = self.state.wait_for(|state| {
            found = find(state);
            found.is_some()
        });
        let _is_told = waiting.await.is_ok();
        found
    }

    /// Changes cost and precedence.
    pub(crate) fn update(&self, cost: u16, precedence: Precedence) -> Result<(), BindError> {
        self.shared.update(|channel, _| {
            channel
                .edge
                .update_bind(self.id, Some(cost), Some(precedence))
        })
    }

    /// Tells whether the server is healthy.
    pub(crate) fn report_health(&self, is_healthy: bool) -> Result<(), BindError> {
        self.shared
            .update(|channel, _| channel.edge.report_health(self.id, is_healthy))
    }
}

impl Drop for Bind {
    fn drop(&mut self) {
        self.shared
            .update(|channel, _| channel.release_bind(self.id));
    }
}
