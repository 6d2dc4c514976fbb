//! Dials for routes, a few at a time.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use portcullis_forwarding::{QueueFull, WorkQueue};
use portcullis_router::circuits::QueueSize;
use portcullis_wire::control::route::{Egress, Route, RouteFailure, RouteOutcome};
use portcullis_wire::peer_data::PeerData;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::circuit_note::trace_of_path;

use super::{Asking, DialFailure, DialRequest, Dialer, Routes};

/// For routes that name no time.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// Dials that wait or are under way.
pub(super) struct Dialing {
    queue: WorkQueue<Box<Waiting>>,
    newest: HashMap<String, Newest>,
    next_number: u64,
}

/// The newest route of a circuit, which makes older ones void.
struct Newest {
    number: u64,
    cancelled: CancellationToken,
}

/// A route that waits for its dial.
struct Waiting {
    number: u64,
    asking: Asking,
    route: Route,
    egress: Egress,
    dialer: Arc<dyn Dialer>,
    deadline: Instant,
    /// By an unroute, or a newer route.
    cancelled: CancellationToken,
}

impl Dialing {
    pub(super) fn new(size: QueueSize) -> Self {
        Self {
            queue: size.queue(),
            newest: HashMap::new(),
            next_number: 0,
        }
    }

    /// Dials that wait, and dials that are under way.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.queue.waiting(), self.queue.working())
    }

    pub(super) fn cancel(&mut self, circuit: &str) {
        if let Some(newest) = self.newest.remove(circuit) {
            newest.cancelled.cancel();
        }
    }

    fn push(&mut self, mut waiting: Box<Waiting>) -> Result<(), Box<Waiting>> {
        waiting.number = self.next_number;
        let circuit = waiting.route.circuit_id.clone();
        let newest = Newest {
            number: waiting.number,
            cancelled: waiting.cancelled.clone(),
        };
        self.queue
            .push(waiting)
            .map_err(|QueueFull(waiting)| waiting)?;
        self.next_number += 1;
        self.cancel(&circuit);
        self.newest.insert(circuit, newest);
        Ok(())
    }

    /// Forgets a route that was dialed for. Returns whether nothing newer has taken its place.
    fn forget(&mut self, waiting: &Waiting) -> bool {
        let circuit = &waiting.route.circuit_id;
        let newest = self.newest.get(circuit);
        let is_newest = newest.is_none_or(|newest| newest.number == waiting.number);
        if is_newest {
            self.newest.remove(circuit);
        }
        is_newest
    }
}

impl Routes {
    /// Lets a route wait for its dial.
    pub(super) fn dial_later(self: &Arc<Self>, asking: Asking, mut route: Route) {
        if let Err(shortage) = self.relay.memory().check_room() {
            return self.refuse_for_now(&asking, &route, &shortage.to_string());
        }
        let egress = route.egress.take().unwrap_or_default();
        let Some(dialer) = self.dialers.get(&egress.binding) else {
            let reason = format!(
                "this router does not dial {:?}: its file has no such entry in `dialers`",
                egress.binding
            );
            let failure = failure(RouteFailure::MisconfiguredTerminator, reason);
            return self.answer(&asking, &route, failure.into());
        };
        let timeout = match route.timeout_nanos {
            0 => DEFAULT_TIMEOUT,
            nanos => Duration::from_nanos(nanos),
        };
        let waiting = Box::new(Waiting {
            number: 0,
            asking,
            route,
            egress,
            dialer: Arc::clone(dialer),
            deadline: Instant::now() + timeout,
            cancelled: CancellationToken::new(),
        });
        let pushed = self.dialing.lock().push(waiting);
        if let Err(waiting) = pushed {
            let Waiting { asking, route, .. } = *waiting;
            return self.refuse_for_now(&asking, &route, "too many services are being dialed");
        }
        self.start_dials();
    }

    fn refuse_for_now(&self, asking: &Asking, route: &Route, reason: &str) {
        let failure = failure(RouteFailure::ResourcesNotAvailable, reason);
        self.answer(asking, route, failure.into());
    }

    fn start_dials(self: &Arc<Self>) {
        while let Some(waiting) = self.start_dial() {
            let worker = Worker(Arc::clone(self));
            self.tasks
                .spawn(async move { worker.0.dial(waiting).await });
        }
    }

    fn start_dial(&self) -> Option<Box<Waiting>> {
        self.dialing.lock().queue.start()
    }

    async fn dial(&self, waiting: Box<Waiting>) {
        waiting.log_begin();
        let dialed = tokio::select! {
            biased;
            () = waiting.cancelled.cancelled() => Err(cancelled()),
            () = self.relay.stopping() => Err(stopping()),
            dialed = self.dial_in_time(&waiting) => dialed,
        };
        waiting.log_end(&dialed);
        let outcome = self.route_dialed(&waiting, dialed);
        self.answer(&waiting.asking, &waiting.route, outcome);
    }

    async fn dial_in_time(&self, waiting: &Waiting) -> Result<PeerData, DialFailure> {
        let Waiting { route, egress, .. } = waiting;
        let request = DialRequest {
            circuit: route.circuit_id.as_str().into(),
            attempt: route.attempt,
            controller: waiting.asking.controller.clone(),
            address: egress.address.clone(),
            destination: egress.destination.clone(),
            peer_data: egress.peer_data.clone(),
            deadline: waiting.deadline,
        };
        let dialing = async {
            sleep(self.pause).await;
            waiting.dialer.dial(request).await
        };
        if waiting.deadline <= Instant::now() {
            return Err(timed_out());
        }
        // What a dialer leaves behind when it panics goes with its future, or is closed as after any failure.
        let dialing = AssertUnwindSafe(dialing).catch_unwind();
        match timeout_at(waiting.deadline, dialing).await {
            Ok(Ok(dialed)) => dialed,
            Ok(Err(_panic)) => Err(broken()),
            Err(_elapsed) => Err(timed_out()),
        }
    }

    /// Takes the route whose dial has ended. If there is no route, there must be no end.
    fn route_dialed(
        &self,
        waiting: &Waiting,
        dialed: Result<PeerData, DialFailure>,
    ) -> RouteOutcome {
        // Locked until the route is taken, so that it cannot be taken away before.
        let mut dialing = self.dialing.lock();
        let is_newest = dialing.forget(waiting);
        let dialed = dialed.and_then(|peer_data| {
            let is_cancelled = waiting.cancelled.is_cancelled();
            if is_cancelled {
                Err(cancelled())
            } else {
                Ok(peer_data)
            }
        });
        let outcome = match dialed {
            Ok(peer_data) => self.apply(&waiting.route, &waiting.asking.controller, peer_data),
            Err(failure) => failure.into(),
        };
        drop(dialing);
        if is_newest && matches!(outcome, RouteOutcome::Failed { .. }) {
            self.undo(waiting);
        }
        outcome
    }

    fn undo(&self, waiting: &Waiting) {
        if let Some((hop, end)) = self.relay.find(&waiting.egress.address) {
            self.relay.detach(hop, &end);
            end.unrouted(&waiting.route.circuit_id);
        }
    }
}

impl Waiting {
    /// Tells that the terminator of a traced circuit is dialed.
    fn log_begin(&self) {
        let Some(trace) = trace_of_path(&self.route) else {
            return;
        };
        tracing::info!(
            trace_id = trace.trace_id,
            request_id = trace.request_id,
            circuit = self.route.circuit_id,
            binding = self.egress.binding,
            "the terminator of a traced circuit is dialed"
        );
    }

    /// Tells what has become of that.
    fn log_end(&self, dialed: &Result<PeerData, DialFailure>) {
        let Some(trace) = trace_of_path(&self.route) else {
            return;
        };
        let (trace_id, request_id) = (trace.trace_id, trace.request_id);
        let circuit = &self.route.circuit_id;
        match dialed {
            Ok(_) => {
                tracing::info!(
                    trace_id,
                    request_id,
                    circuit,
                    "the terminator of a traced circuit has answered"
                );
            },
            Err(DialFailure { reason, .. }) => tracing::info!(
                trace_id,
                request_id,
                circuit,
                reason,
                "the terminator of a traced circuit cannot be reached"
            ),
        }
    }
}

/// A worker of the queue, until it is dropped, however its work ends.
struct Worker(Arc<Routes>);

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.dialing.lock().queue.finish();
        self.0.start_dials();
    }
}

fn failure(failure: RouteFailure, reason: impl Into<String>) -> DialFailure {
    DialFailure {
        reason: reason.into(),
        failure,
    }
}

fn broken() -> DialFailure {
    failure(
        RouteFailure::Generic,
        "the dial has failed by a fault of this router",
    )
}

fn timed_out() -> DialFailure {
    failure(RouteFailure::DialTimedOut, "the dial took too long")
}

fn cancelled() -> DialFailure {
    failure(RouteFailure::Generic, "the circuit was taken away")
}

fn stopping() -> DialFailure {
    failure(
        RouteFailure::ResourcesNotAvailable,
        "the router is shutting down",
    )
}
