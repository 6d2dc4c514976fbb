//! A dial that the router has not answered yet.

use super::connection::Connection;
use super::shared::Shared;
use super::state::DialOutcome;
use portcullis_sdk_proto::{Connected, DialError, DialFailure, DialRequest};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A dial that the router has not answered yet. Dropping it takes it back.
#[derive(Debug)]
pub(crate) struct Dialing {
    connection: Connection,
    outcome: oneshot::Receiver<DialOutcome>,
}

impl Dialing {
    pub(super) fn start(shared: &Arc<Shared>, request: DialRequest) -> Result<Self, DialError> {
        let (sender, outcome) = oneshot::channel();
        let owned = shared.update(|state, now| {
            let id = state.edge.dial(request, now)?;
            Ok(state.own(id, Some(sender)))
        })?;
        Ok(Self {
            connection: Connection::new(Arc::clone(shared), owned),
            outcome,
        })
    }

    /// Waits for the answer.
    pub(crate) async fn outcome(self) -> Result<(Connection, Connected), DialFailure> {
        let outcome = self.outcome.await;
        let connected = outcome.unwrap_or(Err(DialFailure::ChannelEnded))?;
        Ok((self.connection, connected))
    }
}
