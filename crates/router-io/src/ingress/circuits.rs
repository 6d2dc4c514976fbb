//! Circuits for clients without SDK.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use portcullis_memory_budget::Shortage;
use portcullis_router::edge::{CircuitId, Recipient, RequestFailure};
use portcullis_router::ingress::{DialLine, ProxyAlerts};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CircuitRequest;
use portcullis_wire::peer_data::PeerData;
use portcullis_xgress::{Options, Side};
use tokio::time::timeout;

use crate::controllers::Controllers;
use crate::ends::{EndTerms, Ends, LocalSide, Start};
use crate::refusal_log::RefusalLog;

/// How long a circuit that nobody waits for any more may take: it is given back.
const LATE: Duration = Duration::from_mins(1);

/// Why there is no circuit. The text is for the client, too.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoCircuit {
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

/// A circuit whose route stands.
pub(super) struct StandingCircuit {
    pub(super) id: CircuitId,
    address: String,
}

/// Asks controllers for circuits, and opens their initiating ends.
#[derive(Clone)]
pub(super) struct CircuitRequests {
    controllers: Arc<Controllers>,
    ends: Ends,
    options: Arc<Options>,
    timeout: Duration,
    refusals: RefusalLog,
    /// Of a proxy: others are told their service by their clients.
    alerts: Option<Arc<Mutex<ProxyAlerts>>>,
}

impl CircuitRequests {
    pub(super) fn new(
        controllers: Arc<Controllers>,
        ends: Ends,
        options: Options,
        timeout: Duration,
        refusals: RefusalLog,
    ) -> Self {
        Self {
            controllers,
            ends,
            options: Arc::new(options),
            timeout,
            refusals,
            alerts: None,
        }
    }

    /// With alerts for clients that have no circuit.
    #[must_use]
    pub(super) fn with_alerts(mut self, alerts: ProxyAlerts) -> Self {
        self.alerts = Some(Arc::new(Mutex::new(alerts)));
        self
    }

    /// Tells why a client of this listener has no circuit.
    pub(super) fn report_refusal(
        &self,
        listener: &str,
        peer: SocketAddr,
        service: &str,
        why: &NoCircuit,
    ) {
        if self.refusals.admits(peer.ip()) {
            let reason = why.to_string();
            tracing::info!(listener, %peer, service, reason, "client refused");
        }
        if let Some(alerts) = &self.alerts {
            self.alert(&mut alerts.lock(), why);
        }
    }

    /// Tells one controller, if there is one and it is to be told.
    fn alert(&self, alerts: &mut ProxyAlerts, why: &NoCircuit) {
        let clock = self.ends.relay().clock();
        let now = clock.moment();
        let Some(alert) = alerts.due(&why.to_string(), clock.timestamp(), now) else {
            return;
        };
        let alert = ControlMessage::Alerts(alert);
        if self.controllers.tell(&Recipient::Any, &alert).is_ok() {
            alerts.told(now);
        }
    }

    pub(super) async fn request(&self, line: DialLine) -> Result<StandingCircuit, NoCircuit> {
        self.ends.relay().memory().check_room()?;
        let mut asking = Self::ask(self.clone(), line).boxed();
        let Ok(answer) = timeout(self.timeout, &mut asking).await else {
            let requests = self.clone();
            tokio::spawn(async move {
                if let Ok(circuit) = asking.await {
                    requests.give_back(&circuit);
                }
            });
            return Err(NoCircuit::NoAnswer);
        };
        answer
    }

    async fn ask(self, line: DialLine) -> Result<StandingCircuit, NoCircuit> {
        let request = ControlMessage::CircuitRequest(CircuitRequest {
            client: line.client,
            service: line.service,
            peer_data: PeerData::new(),
        });
        let answer = self
            .controllers
            .request_within(Recipient::Any, request, self.timeout + LATE)
            .await;
        let (_, frame) = answer.map_err(|failure| match failure {
            RequestFailure::NoController => NoCircuit::NoController,
            RequestFailure::Lost => NoCircuit::NoAnswer,
        })?;
        match ControlMessage::decode(&frame.into_message()) {
            Ok(ControlMessage::CircuitCreated(created)) => Ok(StandingCircuit {
                id: created.circuit_id.into(),
                address: created.address,
            }),
            Ok(ControlMessage::CircuitFailed(failed)) => Err(NoCircuit::Refused(failed.reason)),
            Ok(_) | Err(_) => Err(NoCircuit::NotUnderstood),
        }
    }

    /// Opens the initiating end of a circuit.
    pub(super) fn open(&self, circuit: StandingCircuit, side: impl LocalSide) {
        let terms = EndTerms {
            circuit: circuit.id,
            address: circuit.address,
            side: Side::Initiator,
            options: Arc::clone(&self.options),
            start: Start::AtOnce,
            identity: None,
        };
        let _goes_on = self.ends.open(&terms, side);
    }

    /// Gives back a circuit whose client has gone.
    pub(super) fn give_back(&self, circuit: &StandingCircuit) {
        self.ends.relay().end(circuit.id.as_str(), Side::Initiator);
    }
}
