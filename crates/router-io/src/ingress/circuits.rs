//! Circuits for clients of a listener.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_router::edge::Recipient;
use portcullis_router::ingress::{DialLine, ProxyAlerts};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::CircuitRequest;
use portcullis_wire::peer_data::PeerData;

use crate::circuit_requests::{CircuitRequests, NoCircuit, StandingCircuit};
use crate::ends::LocalSide;
use crate::refusal_log::RefusalLog;

/// Asks controllers for the circuits of a listener, and tells why a client has none.
#[derive(Clone)]
pub(super) struct ClientCircuits {
    requests: CircuitRequests,
    timeout: Duration,
    refusals: RefusalLog,
    /// Of a proxy: others are told their service by their clients.
    alerts: Option<Arc<Mutex<ProxyAlerts>>>,
}

impl ClientCircuits {
    pub(super) const fn new(
        requests: CircuitRequests,
        timeout: Duration,
        refusals: RefusalLog,
    ) -> Self {
        Self {
            requests,
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
        let clock = self.requests.ends().relay().clock();
        let now = clock.moment();
        let Some(alert) = alerts.due(&why.to_string(), clock.timestamp(), now) else {
            return;
        };
        let alert = ControlMessage::Alerts(alert);
        let controllers = self.requests.controllers();
        if controllers.tell(&Recipient::Any, &alert).is_ok() {
            alerts.told(now);
        }
    }

    pub(super) async fn request(&self, line: DialLine) -> Result<StandingCircuit, NoCircuit> {
        let request = ControlMessage::CircuitRequest(CircuitRequest {
            client: line.client,
            service: line.service,
            peer_data: PeerData::new(),
        });
        self.requests.request(request, self.timeout).await
    }

    /// Opens the initiating end of a circuit.
    pub(super) fn open(&self, circuit: StandingCircuit, side: impl LocalSide) {
        let _goes_on = self.requests.open(circuit, side);
    }
}
