//! Flows of datagrams between a socket and circuits.

mod socket;

pub use socket::{DatagramReceiver, DatagramReplies};

use crate::dialing::{Dialed, dial, log_failure};
use crate::network::{Circuit, DatagramCircuit as _, Network};
use crate::requests::Ingress;
use crate::shared::Shared;
use bytes::Bytes;
use parking_lot::Mutex;
use portcullis_channel::Moment;
use portcullis_datagram_flows::{FlowId, FlowKey, FlowTable, Received};
use portcullis_tunneler::ServiceId;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, sleep_until};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// Datagrams of clients that come to a socket, each flow with a circuit of its own.
pub(crate) struct Flows<N: Network, R> {
    shared: Arc<Shared<N>>,
    ingress: Ingress,
    replies: R,
    table: Mutex<FlowTable<Open<N>>>,
    /// There may be an earlier time to look at flows than before.
    times_changed: Notify,
    dials: Arc<Semaphore>,
    /// No more flows begin.
    stop: CancellationToken,
    /// All flows end.
    end: CancellationToken,
    tasks: TaskTracker,
}

type DatagramsOf<N> = <<N as Network>::Circuit as Circuit>::Datagrams;

/// A flow with its circuit, which has a task until this is dropped.
struct Open<N: Network> {
    circuit: Arc<DatagramsOf<N>>,
    service: ServiceId,
    _task: DropGuard,
}

/// Pause after the socket has failed, such as for lack of memory.
const BACK_OFF: Duration = Duration::from_millis(50);

/// Failures in a row after which the socket is given up.
const MAX_FAILURES: u32 = 20;

impl<N: Network, R: DatagramReplies> Flows<N, R> {
    pub(crate) fn new(shared: Arc<Shared<N>>, ingress: Ingress, replies: R) -> Arc<Self> {
        let options = &shared.options;
        Arc::new(Self {
            table: Mutex::new(FlowTable::new(options.flows)),
            dials: Arc::new(Semaphore::new(options.max_flow_dials)),
            shared,
            ingress,
            replies,
            times_changed: Notify::new(),
            stop: CancellationToken::new(),
            end: CancellationToken::new(),
            tasks: TaskTracker::new(),
        })
    }

    /// Begins no more flows; those that there are go on.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
        self.times_changed.notify_one();
    }

    /// Ends all flows.
    pub(crate) fn end(&self) {
        self.end.cancel();
    }

    /// Carries datagrams until it is stopped and the last flow has ended, or all are to end. Nothing uses the socket
    /// any more then.
    ///
    /// # Errors
    ///
    /// If the socket has failed.
    pub(crate) async fn run(self: Arc<Self>, receiver: impl DatagramReceiver) -> io::Result<()> {
        // They end with this, even if it is dropped: nobody would look at the time any more.
        let _end = self.end.clone().drop_guard();
        let result = tokio::select! {
            error = self.receive(receiver) => Err(error),
            () = self.end_idle() => Ok(()),
            () = self.check_services() => Ok(()),
            () = self.end.cancelled() => Ok(()),
        };
        self.end.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        result
    }

    /// Receives until the socket fails.
    async fn receive(self: &Arc<Self>, mut receiver: impl DatagramReceiver) -> io::Error {
        let mut failures = 0;
        loop {
            match receiver.receive().await {
                Ok((key, datagram)) => {
                    failures = 0;
                    self.take(key, datagram);
                },
                Err(error) if failures == MAX_FAILURES => return error,
                Err(error) => {
                    failures += 1;
                    tracing::debug!(%error, "a datagram cannot be received");
                    sleep(BACK_OFF).await;
                },
            }
        }
    }

    fn take(self: &Arc<Self>, key: FlowKey, datagram: Bytes) {
        let now = self.shared.clock.now();
        let mut table = self.table.lock();
        if self.stop.is_cancelled() && !table.contains(&key) {
            return;
        }
        let ended = match table.receive(key, datagram, now) {
            Received::Forward { circuit, datagram } => {
                // The task of the flow sees that the circuit is over.
                let _is_over = circuit.circuit.send(datagram);
                None
            },
            Received::Waits => None,
            Received::Dropped(reason) => {
                tracing::trace!(client = %key.client, %reason, "a datagram is dropped");
                None
            },
            Received::Dial { flow, displaced } => {
                self.begin(flow, &mut table);
                displaced
            },
        };
        drop(table);
        drop(ended);
    }

    /// Dials for a flow, by a task of its own.
    fn begin(self: &Arc<Self>, flow: FlowId, table: &mut FlowTable<Open<N>>) {
        self.times_changed.notify_one();
        let Ok(turn) = Arc::clone(&self.dials).try_acquire_owned() else {
            return table.failed(flow, self.shared.clock.now());
        };
        let flows = Arc::clone(self);
        let task = self.tasks.track_future(async move {
            let serving = Box::pin(flows.serve(flow, turn));
            flows.end.run_until_cancelled(serving).await;
        });
        self.shared.tasks.spawn(task);
    }

    /// Dials for a flow, and carries what comes back, until it has ended.
    async fn serve(&self, flow: FlowId, turn: OwnedSemaphorePermit) {
        let mut flow_checks = self.shared.flow_checks.clone();
        flow_checks.mark_unchanged();
        let FlowKey {
            client,
            destination,
        } = flow.key();
        let dialed = dial(&self.shared, &self.ingress, client, destination).await;
        drop(turn);
        match dialed {
            Ok(dialed) => {
                let must_be_checked = flow_checks.has_changed().unwrap_or(true);
                self.carry(flow, dialed, must_be_checked).await;
            },
            Err(failure) => {
                self.fail(flow);
                log_failure(&self.shared, client, &failure);
            },
        }
    }

    fn fail(&self, flow: FlowId) {
        let now = self.shared.clock.now();
        self.table.lock().failed(flow, now);
        self.times_changed.notify_one();
    }

    async fn carry(&self, flow: FlowId, dialed: Dialed<N::Circuit>, must_be_checked: bool) {
        let circuit = Arc::new(dialed.circuit.into_datagrams());
        let ended = CancellationToken::new();
        let open = Open {
            circuit: Arc::clone(&circuit),
            service: dialed.service,
            _task: ended.clone().drop_guard(),
        };
        if !self.open(flow, open) {
            return;
        }
        if must_be_checked {
            self.check(vec![flow]).await;
        }
        tokio::select! {
            () = self.send_back(flow, &*circuit) => {},
            () = dialed.cancellation.cancelled() => {},
            () = ended.cancelled() => {},
        }
        let ended = self.table.lock().end(flow);
        drop(ended);
    }

    /// Whether the flow is still there. What waits is sent before what comes next.
    fn open(&self, flow: FlowId, open: Open<N>) -> bool {
        let circuit = Arc::clone(&open.circuit);
        let now = self.shared.clock.now();
        let mut table = self.table.lock();
        let Ok(waiting) = table.opened(flow, open, now) else {
            return false;
        };
        for datagram in waiting {
            let _is_over = circuit.send(datagram);
        }
        true
    }

    async fn send_back(&self, flow: FlowId, circuit: &DatagramsOf<N>) {
        while let Some(datagram) = circuit.receive().await {
            let now = self.shared.clock.now();
            if !self.table.lock().answered(flow, now) {
                return;
            }
            // What a client cannot take is lost, as in any network.
            if let Err(error) = self.replies.send(flow.key(), &datagram).await {
                self.log_lost(flow.key(), &error);
            }
        }
    }

    /// Such as that another program has the port that answers come from.
    fn log_lost(&self, flow: FlowKey, error: &io::Error) {
        let FlowKey {
            client,
            destination,
        } = flow;
        if self.shared.refusals.admits(client.ip()) {
            tracing::warn!(%client, %destination, %error, "an answer cannot be sent to a client");
        }
    }

    /// Ends flows that are idle, until there are no more and none can begin.
    async fn end_idle(&self) {
        loop {
            let next = self.handle_timeout();
            let changed = self.times_changed.notified();
            match next {
                None if self.stop.is_cancelled() => return,
                None => changed.await,
                Some(next) => {
                    let next = sleep_until(self.shared.clock.instant(next));
                    tokio::select! {
                        () = next => {},
                        () = changed => {},
                    }
                },
            }
        }
    }

    /// When the next flow may be idle.
    fn handle_timeout(&self) -> Option<Moment> {
        let now = self.shared.clock.now();
        let mut table = self.table.lock();
        let ended: Vec<_> = std::iter::from_fn(|| table.handle_timeout(now)).collect();
        let next = table.poll_timeout();
        drop(table);
        drop(ended);
        next
    }

    /// Ends flows that are those of other services than before. Those of a port stay what they are.
    async fn check_services(&self) {
        let mut flow_checks = self.shared.flow_checks.clone();
        loop {
            let is_over = flow_checks.changed().await.is_err();
            if is_over || matches!(self.ingress, Ingress::Port(_)) {
                return std::future::pending().await;
            }
            self.check(self.open_flows()).await;
        }
    }

    fn open_flows(&self) -> Vec<FlowId> {
        let table = self.table.lock();
        table.open_flows().map(|(flow, _)| flow).collect()
    }

    async fn check(&self, flows: Vec<FlowId>) {
        if matches!(self.ingress, Ingress::Port(_)) {
            return;
        }
        let keys = flows.iter().map(|flow| flow.key()).collect();
        let Ok(services) = self.shared.requests.services(keys).await else {
            return;
        };
        let mut table = self.table.lock();
        let mut ended = Vec::new();
        for (flow, service) in flows.into_iter().zip(services) {
            let before = table.circuit(flow).map(|open| &open.service);
            if before.is_some() && before != service.as_ref() {
                ended.extend(table.end(flow));
            }
        }
        drop(table);
        drop(ended);
    }
}
