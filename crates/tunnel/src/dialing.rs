//! Circuits for clients.

use crate::cancellation::Cancellation;
use crate::network::{Circuit as _, DialError, DialRequest, Network};
use crate::requests::{Dialing, Ingress, Stopped};
use crate::shared::Shared;
use crate::tcp::{ResetOnDrop, set_keepalive};
use portcullis_tunneler::{NoDial, ServiceId};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How much longer than a dial may take it is waited for, if the network does not keep to that.
const GRACE: Duration = Duration::from_secs(5);

/// A circuit for a client.
pub(crate) struct Dialed<C> {
    pub(crate) circuit: C,
    pub(crate) service: ServiceId,
    pub(crate) service_name: Arc<str>,
    pub(crate) cancellation: Cancellation,
}

/// Why a client gets no circuit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoCircuit {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    NoDial(#[from] NoDial),
    #[error("the service {service}: {error}")]
    Dial { service: Arc<str>, error: DialError },
    #[error("the service {0}: there was no answer in time")]
    TimedOut(Arc<str>),
    #[error("the service {0}: it may not be dialed any more")]
    Ended(Arc<str>),
}

/// Dials the service for a connection from a client to an address here, or to one that is intercepted.
pub(crate) async fn dial<N: Network>(
    shared: &Shared<N>,
    ingress: &Ingress,
    client: SocketAddr,
    local: SocketAddr,
) -> Result<Dialed<N::Circuit>, NoCircuit> {
    let Dialing { dial, cancellation } = shared.requests.dialing(ingress, client, local).await??;
    let (service, service_name) = (dial.service.clone(), Arc::clone(&dial.service_name));
    let limit = dial.timeout.saturating_add(GRACE);
    let request = DialRequest {
        dial,
        client,
        local,
    };
    let dialing = timeout(limit, Box::pin(shared.network.dial(request)));
    let dialed = tokio::select! {
        dialed = dialing => dialed,
        () = cancellation.cancelled() => return Err(NoCircuit::Ended(service_name)),
    };
    match dialed {
        Ok(Ok(circuit)) => Ok(Dialed {
            circuit,
            service,
            service_name,
            cancellation,
        }),
        Ok(Err(error)) => Err(NoCircuit::Dial {
            service: service_name,
            error,
        }),
        Err(_elapsed) => Err(NoCircuit::TimedOut(service_name)),
    }
}

/// Dials the service for a stream of a client, and carries it until both directions have ended or the service may
/// not be dialed any more. A client whose dial fails, or whose connection is cut, is reset.
pub(crate) async fn serve_stream<N: Network>(
    shared: &Shared<N>,
    ingress: &Ingress,
    stream: TcpStream,
    (client, local): (SocketAddr, SocketAddr),
) {
    let _is_closed = stream.set_nodelay(true);
    let _is_closed = set_keepalive(&stream);
    let Ok(reset) = ResetOnDrop::new(&stream) else {
        return tracing::warn!(%client, "a client gets no connection: there are no descriptors left");
    };
    let dialed = match dial(shared, ingress, client, local).await {
        Ok(dialed) => dialed,
        Err(failure) => return log_failure(shared, client, &failure),
    };
    let name = dialed.service_name;
    tokio::select! {
        result = Box::pin(dialed.circuit.carry(stream)) => match result {
            Ok(()) => reset.disarm(),
            Err(error) => tracing::debug!(service = %name, %client, %error, "a connection is lost"),
        },
        () = dialed.cancellation.cancelled() => {
            tracing::debug!(service = %name, %client, "a connection is ended: the service may not be dialed any more");
        },
    }
}

/// Clients can cause as many of these as they like.
pub(crate) fn log_failure<N>(shared: &Shared<N>, client: SocketAddr, failure: &NoCircuit) {
    if shared.refusals.admits(client.ip()) {
        tracing::info!(%client, %failure, "a client gets no connection");
    }
}
