//! Circuits that controllers are asked for on behalf of whoever speaks no SDK.

use std::sync::Arc;
use std::time::Duration;

use portcullis_memory_budget::Shortage;
use portcullis_router::edge::{CircuitId, Recipient, RequestFailure};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::peer_data::PeerData;
use portcullis_xgress::{Options, Side};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::controllers::Controllers;
use crate::ends::{EndHandle, EndTerms, Ends, LocalSide, Start};
use crate::relay::Relay;

/// How long a circuit that nobody waits for any more may take: it is given back.
const LATE: Duration = Duration::from_mins(1);

/// Why there is no circuit. The text is for the client, too.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoCircuit {
    #[error(transparent)]
    NoMemory(#[from] Shortage),
    #[error("no controller is connected")]
    NoController,
    #[error("the controller does not answer")]
    NoAnswer,
    #[error("{0}")]
    Refused(String),
    #[error("the controller's answer is not understood")]
    NotUnderstood,
}

/// A circuit whose route stands. It is given back when this is dropped.
pub(crate) struct StandingCircuit {
    pub(crate) id: CircuitId,
    /// What the other end tells.
    pub(crate) peer_data: PeerData,
    address: String,
    /// `None` once it has an end.
    relay: Option<Arc<Relay>>,
}

/// Asks controllers for circuits, and opens their initiating ends.
#[derive(Clone)]
pub(crate) struct CircuitRequests {
    controllers: Arc<Controllers>,
    ends: Ends,
    options: Arc<Options>,
}

impl CircuitRequests {
    pub(crate) fn new(controllers: Arc<Controllers>, ends: Ends, options: Options) -> Self {
        Self {
            controllers,
            ends,
            options: Arc::new(options),
        }
    }

    pub(crate) const fn controllers(&self) -> &Arc<Controllers> {
        &self.controllers
    }

    pub(crate) const fn ends(&self) -> &Ends {
        &self.ends
    }

    /// Asks for a circuit. One that comes later, or when nobody waits for it any more, is given back.
    pub(crate) async fn request(
        &self,
        question: ControlMessage,
        time: Duration,
    ) -> Result<StandingCircuit, NoCircuit> {
        self.ends.relay().memory().check_room()?;
        let (answer, answered) = oneshot::channel();
        let asking = self.clone().ask(question, time + LATE);
        tokio::spawn(async move {
            let _nobody_waits = answer.send(asking.await);
        });
        match timeout(time, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(NoCircuit::NoAnswer),
        }
    }

    async fn ask(
        self,
        question: ControlMessage,
        time: Duration,
    ) -> Result<StandingCircuit, NoCircuit> {
        let answer = self
            .controllers
            .request_within(Recipient::Any, question, time)
            .await;
        let (_, frame) = answer.map_err(|failure| match failure {
            RequestFailure::NoController => NoCircuit::NoController,
            RequestFailure::Lost => NoCircuit::NoAnswer,
        })?;
        let standing = |id: String, address, peer_data| StandingCircuit {
            id: id.into(),
            peer_data,
            address,
            relay: Some(Arc::clone(self.ends.relay())),
        };
        match ControlMessage::decode(&frame.into_message()) {
            Ok(ControlMessage::CircuitCreated(created)) => Ok(standing(
                created.circuit_id,
                created.address,
                created.peer_data,
            )),
            Ok(ControlMessage::CreateTunnelCircuitAnswer(created)) => Ok(standing(
                created.circuit_id,
                created.address,
                created.peer_data,
            )),
            Ok(ControlMessage::CircuitFailed(failed)) => Err(NoCircuit::Refused(failed.reason)),
            Ok(ControlMessage::Refusal(refusal)) => Err(NoCircuit::Refused(refusal.reason)),
            Ok(_) | Err(_) => Err(NoCircuit::NotUnderstood),
        }
    }

    /// Opens the initiating end of a circuit.
    pub(crate) fn open(&self, mut circuit: StandingCircuit, side: impl LocalSide) -> EndHandle {
        circuit.relay = None;
        let terms = EndTerms {
            circuit: circuit.id.clone(),
            address: circuit.address.clone(),
            side: Side::Initiator,
            options: Arc::clone(&self.options),
            start: Start::AtOnce,
            identity: None,
        };
        self.ends.open(&terms, side)
    }
}

impl Drop for StandingCircuit {
    fn drop(&mut self) {
        if let Some(relay) = &self.relay {
            relay.end(self.id.as_str(), Side::Initiator);
        }
    }
}
