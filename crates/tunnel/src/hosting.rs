//! Servers that are hosted.

mod datagrams;
mod failure;
mod http_connect;
mod incoming;
mod server;

use crate::network::{Host, Incoming as _, Network, RefusalKind};
use crate::shared::{Report, Shared};
use portcullis_domain::identity::Precedence;
use portcullis_tunneler::{TerminatorId, TerminatorOptions};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout;

/// What becomes of a terminator that has been created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Update(Precedence, u16),
    ReportHealth(bool),
}

/// After which a terminator that the network has neither created nor refused counts as refused, so that others get
/// their turn.
const CREATE_TIMEOUT: Duration = Duration::from_mins(1);

/// Creates a terminator, and takes what is dialed to it, until it ends or nobody gives orders any more.
pub(crate) async fn keep_hosted<N: Network>(
    shared: Arc<Shared<N>>,
    id: TerminatorId,
    options: TerminatorOptions,
    mut orders: mpsc::UnboundedReceiver<Order>,
) {
    let name = Arc::clone(&options.service_name);
    let creation = Box::pin(create(&shared, &id, options));
    let host = tokio::select! {
        host = creation => host,
        // Before it is created, the only order is its end.
        _ = orders.recv() => return,
    };
    if let Some(mut host) = host {
        shared.report(Report::TerminatorCreated(id.clone())).await;
        tracing::debug!(service = %name, "the service is hosted");
        let slots = Arc::new(Semaphore::new(shared.options.max_circuits_of_terminator));
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(Order::Update(precedence, cost)) => host.update(precedence, cost),
                    Some(Order::ReportHealth(is_healthy)) => host.report_health(is_healthy),
                    None => return,
                },
                incoming = host.next() => match incoming {
                    Some(incoming) => admit(&shared, &id, &slots, incoming),
                    None => break,
                },
            }
        }
        tracing::info!(service = %name, "the terminator has ended");
    }
    shared.report(Report::TerminatorEnded(id)).await;
}

async fn create<N: Network>(
    shared: &Shared<N>,
    id: &TerminatorId,
    options: TerminatorOptions,
) -> Option<N::Host> {
    let _turn = shared.creations.acquire().await.ok()?;
    let name = Arc::clone(&options.service_name);
    let creating = shared.network.host(id.clone(), options);
    match timeout(CREATE_TIMEOUT, creating).await {
        Ok(Ok(host)) => return Some(host),
        Ok(Err(error)) => {
            tracing::warn!(service = %name, %error, "the service is not hosted at the moment");
        },
        Err(_elapsed) => {
            tracing::warn!(service = %name, "the service is not hosted at the moment: the network does not answer");
        },
    }
    None
}

/// Connects somebody who dials to the server, by a task of its own.
fn admit<N: Network>(
    shared: &Arc<Shared<N>>,
    id: &TerminatorId,
    slots: &Arc<Semaphore>,
    incoming: <N::Host as Host>::Incoming,
) {
    let Ok(slot) = Arc::clone(slots).try_acquire_owned() else {
        let reason = "the host has as many connections to the server as it may have";
        return incoming.refuse(RefusalKind::Other, reason);
    };
    let (shared, key) = (Arc::clone(shared), id.key.clone());
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        let _slot = slot;
        incoming::serve(&shared, &key, incoming).await;
    });
}
