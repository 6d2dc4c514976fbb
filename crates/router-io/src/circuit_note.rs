//! What is kept with each circuit, and what the log tells of those that are traced.

use std::sync::{Arc, OnceLock};

use portcullis_channel_traces::{RouteTrace, StepMask};
use portcullis_router::CircuitTrace;
use portcullis_router::edge::Dialed;
use portcullis_router::metrics::CircuitUsage;
use portcullis_wire::control::route::{Route, RouteOutcome};
use portcullis_xgress::Side;

use crate::circuit_message::CircuitMessage;

/// What is kept with each circuit.
#[derive(Debug, Clone)]
pub(crate) struct CircuitNote {
    pub(crate) usage: Arc<CircuitUsage>,
    /// Present once a route has said that the circuit is traced.
    pub(crate) trace: OnceLock<Arc<CircuitTrace>>,
}

/// A payload that is to be told.
pub(crate) struct FirstPayload {
    trace: Arc<CircuitTrace>,
    circuit: String,
    from: Side,
    bytes: usize,
}

impl CircuitNote {
    pub(crate) const fn new(usage: Arc<CircuitUsage>) -> Self {
        Self {
            usage,
            trace: OnceLock::new(),
        }
    }

    /// Takes over what a route says.
    pub(crate) fn trace(&self, route: &Route) {
        if let Some(trace) = trace_of(route) {
            self.trace
                .get_or_init(|| Arc::new(CircuitTrace::new(trace)));
        }
    }

    /// Counts a message that is passed on, if the circuit is traced.
    pub(crate) fn carries(&self, message: &CircuitMessage) -> Option<FirstPayload> {
        let trace = self.trace.get()?;
        let CircuitMessage::Payload(payload) = message else {
            return None;
        };
        let from = Side::of(payload.flags);
        let bytes = message.data_len();
        trace.carried(from, bytes).then(|| FirstPayload {
            trace: Arc::clone(trace),
            circuit: payload.circuit_id.clone(),
            from,
            bytes,
        })
    }

    /// The trace that the circuit is in, if that asks for what is asked for.
    pub(crate) fn trace_of_choice(&self) -> Option<Arc<CircuitTrace>> {
        let trace = self.trace.get()?;
        let tells_choice = trace.trace().steps.contains(StepMask::SELECT_PATH);
        tells_choice.then(|| Arc::clone(trace))
    }

    /// Says why the circuit is going to end.
    pub(crate) fn ends_because(&self, reason: &'static str) {
        if let Some(trace) = self.trace.get() {
            trace.ends_because(reason);
        }
    }

    /// Tells that the circuit has ended, if it is traced.
    pub(crate) fn log_end(&self, circuit: &str) {
        let Some(trace) = self.trace.get() else {
            return;
        };
        if !trace.trace().steps.contains(StepMask::TRANSFER_DATA) {
            return;
        }
        let RouteTrace {
            trace_id,
            request_id,
            ..
        } = trace.trace();
        tracing::info!(
            trace_id,
            request_id,
            circuit,
            bytes_from_client = trace.bytes(Side::Initiator),
            bytes_from_host = trace.bytes(Side::Terminator),
            reason = trace.reason(),
            "a traced circuit has ended"
        );
    }
}

impl FirstPayload {
    pub(crate) fn log(&self) {
        let RouteTrace {
            trace_id,
            request_id,
            ..
        } = self.trace.trace();
        let from = match self.from {
            Side::Initiator => "client",
            Side::Terminator => "host",
        };
        let (circuit, bytes) = (&*self.circuit, self.bytes);
        tracing::info!(
            trace_id,
            request_id,
            circuit,
            from,
            bytes,
            "first payload of a traced circuit"
        );
    }
}

/// Tells by which message of an SDK a traced circuit was asked for.
pub(crate) fn log_dialed(trace: &RouteTrace, dialed: &Dialed, client: &str) {
    let RouteTrace {
        trace_id,
        request_id,
        ..
    } = trace;
    tracing::info!(
        trace_id,
        request_id,
        circuit = dialed.end.circuit.as_str(),
        client,
        connection = dialed.connection.0,
        sdk_message = dialed.message.name(),
        took_ms = u64::try_from(dialed.took.as_millis()).unwrap_or(u64::MAX),
        "a client has asked for a traced circuit"
    );
}

/// The trace that a route belongs to.
pub(crate) fn trace_of(route: &Route) -> Option<RouteTrace> {
    RouteTrace::from_context(route.context.as_ref()?)
}

/// The trace of a route, if it asks for how a path is established.
pub(crate) fn trace_of_path(route: &Route) -> Option<RouteTrace> {
    trace_of(route).filter(|trace| trace.steps.contains(StepMask::ESTABLISH_PATH))
}

/// Tells how a route of a traced circuit was answered.
pub(crate) fn log_route(route: &Route, outcome: &RouteOutcome) {
    let Some(trace) = trace_of_path(route) else {
        return;
    };
    let RouteTrace {
        trace_id,
        request_id,
        ..
    } = &trace;
    let (circuit, attempt) = (&*route.circuit_id, route.attempt);
    match outcome {
        RouteOutcome::Routed(_) => {
            tracing::info!(
                trace_id,
                request_id,
                circuit,
                attempt,
                "route of a traced circuit taken"
            );
        },
        RouteOutcome::Failed { reason, .. } => tracing::info!(
            trace_id,
            request_id,
            circuit,
            attempt,
            reason,
            "route of a traced circuit refused"
        ),
    }
}
