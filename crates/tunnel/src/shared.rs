//! What all tasks of a tunnel share.

use crate::clock::Clock;
use crate::connection_slots::ConnectionSlots;
use crate::network::Network;
use crate::options::TunnelOptions;
use crate::outbound::Outbound;
use crate::refusals::RefusalLog;
use crate::requests::Requests;
use crate::tasks::Tasks;
use portcullis_tunneler::{CheckId, ProxyPort, TerminatorId};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio_rustls::TlsConnector;

/// Terminators that are being created at a time, and servers that are being checked.
const AT_ONCE: usize = 64;

/// What all tasks of a tunnel share.
pub(crate) struct Shared<N> {
    pub(crate) network: N,
    pub(crate) options: TunnelOptions,
    pub(crate) tls: Option<TlsConnector>,
    pub(crate) clock: Clock,
    pub(crate) tasks: Tasks,
    pub(crate) requests: Requests,
    /// For the task that knows the services.
    pub(crate) reports: mpsc::Sender<Report>,
    /// Changes when flows that are intercepted may be those of other services than before.
    pub(crate) flow_checks: watch::Receiver<()>,
    pub(crate) outbound: Outbound,
    pub(crate) refusals: RefusalLog,
    pub(crate) intercepted_streams: ConnectionSlots,
    pub(crate) creations: Semaphore,
    pub(crate) checks: Semaphore,
}

/// What tasks tell the one that knows the services.
#[derive(Debug)]
pub(crate) enum Report {
    TerminatorCreated(TerminatorId),
    TerminatorEnded(TerminatorId),
    /// Nobody listens at a port any more that was opened as the `u64`th one.
    ListenEnded(ProxyPort, u64),
    Checked(CheckId, bool),
}

impl<N: Network> Shared<N> {
    pub(crate) fn new(
        network: N,
        options: TunnelOptions,
        requests: Requests,
        reports: mpsc::Sender<Report>,
        flow_checks: watch::Receiver<()>,
    ) -> Self {
        let clock = Clock::start();
        Self {
            network,
            tls: options.tls.clone().map(TlsConnector::from),
            intercepted_streams: ConnectionSlots::new(
                options.max_streams_of_port,
                options.max_streams_of_client,
            ),
            options,
            clock,
            tasks: Tasks::default(),
            requests,
            reports,
            flow_checks,
            outbound: Outbound::default(),
            refusals: RefusalLog::new(clock),
            creations: Semaphore::new(AT_ONCE),
            checks: Semaphore::new(AT_ONCE),
        }
    }

    /// Tells the task that knows the services. If that has ended, nobody needs it any more.
    pub(crate) async fn report(&self, report: Report) {
        let _has_ended = self.reports.send(report).await;
    }
}
