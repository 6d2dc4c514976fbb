//! What the relay does from time to time: unrouted circuits, reports of faults, idle circuits.

use std::sync::Arc;

use portcullis_channel::Moment;
use portcullis_forwarding::{Confirmation, FaultReport, IdleScan};
use portcullis_router::edge::Recipient;
use portcullis_wire::control::ControlMessage;
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use super::Relay;

impl Relay {
    /// Keeps the deadlines of the relay until `stop` is cancelled; then all circuits end, without a word to
    /// controllers: they see that the router goes.
    pub(crate) async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut idle = IdleScan::new(&self.options, self.clock.moment());
        loop {
            let deadline = self.poll_timeout(&idle);
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = self.deadline_set.notified() => {},
                () = self.sleep_until(deadline) => {},
            }
            self.handle_timeout(&mut idle);
        }
        self.end_all();
    }

    async fn sleep_until(&self, deadline: Option<Moment>) {
        match deadline {
            Some(deadline) => sleep_until(self.clock.instant(deadline)).await,
            None => std::future::pending().await,
        }
    }

    fn poll_timeout(&self, idle: &IdleScan) -> Option<Moment> {
        let drain = self.forwarder.read().poll_timeout();
        let faults = self.faults.lock().poll_timeout();
        [drain, faults, idle.poll_timeout()]
            .into_iter()
            .flatten()
            .min()
    }

    fn handle_timeout(&self, idle: &mut IdleScan) {
        let now = self.clock.moment();
        let is_draining = self.forwarder.read().poll_timeout();
        if is_draining.is_some_and(|at| at <= now) {
            self.forwarder.write().handle_timeout(now);
            self.end_circuits();
        }
        self.report_faults(now);
        let found = idle.find(&self.forwarder.read(), now);
        for Confirmation { to, message } in found.into_confirmations() {
            // A controller that is away asks itself once it is back.
            let message = ControlMessage::CircuitConfirmation(message);
            let _is_away = self.controllers.tell(&Recipient::Only(to), &message);
        }
    }

    fn report_faults(&self, now: Moment) {
        let mut reports = Vec::new();
        let mut faults = self.faults.lock();
        faults.handle_timeout(now);
        reports.extend(std::iter::from_fn(|| faults.poll_report()));
        drop(faults);
        for FaultReport { to, fault } in reports {
            self.counters.faults(fault.id.split_whitespace().count());
            let message = ControlMessage::Fault(fault);
            match to {
                Some(owner) => {
                    let _is_away = self.controllers.tell(&Recipient::Only(owner), &message);
                },
                None => self.controllers.tell_all(&message),
            }
        }
    }

    /// Whether the router stops: an end that is attached now, or a circuit that is routed, has to go at once.
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Waits until the router stops.
    pub(crate) async fn stopping(&self) {
        self.stopping.cancelled().await;
    }

    pub(super) fn end_all(&self) {
        let now = self.clock.moment();
        let mut forwarder = self.forwarder.write();
        self.stopping.cancel();
        let circuits = forwarder.circuits(now);
        let circuits: Vec<_> = circuits.map(|view| view.circuit.to_owned()).collect();
        for circuit in circuits {
            if let Some(note) = forwarder.note(&circuit) {
                note.ends_because("the router stops");
            }
            forwarder.end(&circuit);
        }
        drop(forwarder);
        self.end_circuits();
    }
}
