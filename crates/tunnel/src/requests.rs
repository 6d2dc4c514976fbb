//! Requests of connections to the task that knows the services.

use crate::cancellation::Cancellation;
use portcullis_datagram_flows::FlowKey;
use portcullis_tunnel_config::{AppData, HttpConnectProxy, Protocol, Target, TargetError};
use portcullis_tunneler::{Dial, NoDial, ProxyPort, ServiceId, TerminatorKey};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Where a connection comes in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ingress {
    Port(ProxyPort),
    Intercepted(Protocol),
}

/// How to dial for a connection, and until when it may go on.
#[derive(Debug)]
pub(crate) struct Dialing {
    pub(crate) dial: Dial,
    pub(crate) cancellation: Cancellation,
}

/// The server that a dial of the network is for, and until when their connection may go on.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) target: Target,
    pub(crate) proxy: Option<HttpConnectProxy>,
    pub(crate) connect_timeout: Duration,
    pub(crate) cancellation: Cancellation,
}

/// Why there is no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoServer {
    #[error("the service is not hosted here any more")]
    NotHosted,
    #[error(transparent)]
    Target(#[from] TargetError),
}

/// The tunnel has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the tunnel has stopped")]
pub(crate) struct Stopped;

#[derive(Debug)]
pub(crate) enum Request {
    /// For a connection from an address to another.
    Dialing(
        Ingress,
        (SocketAddr, SocketAddr),
        oneshot::Sender<Result<Dialing, NoDial>>,
    ),
    Server(
        TerminatorKey,
        AppData,
        oneshot::Sender<Result<Server, NoServer>>,
    ),
    /// The services of flows that are intercepted.
    Services(Vec<FlowKey>, oneshot::Sender<Vec<Option<ServiceId>>>),
}

/// Sends requests to the task that knows the services.
#[derive(Debug, Clone)]
pub(crate) struct Requests(pub(crate) mpsc::Sender<Request>);

impl Requests {
    /// How to dial for a connection from a client to an address here, or to one that is intercepted.
    pub(crate) async fn dialing(
        &self,
        ingress: &Ingress,
        client: SocketAddr,
        local: SocketAddr,
    ) -> Result<Result<Dialing, NoDial>, Stopped> {
        self.ask(|answer| Request::Dialing(ingress.clone(), (client, local), answer))
            .await
    }

    /// The server that a dial of the network with these data is for.
    pub(crate) async fn server(
        &self,
        terminator: &TerminatorKey,
        data: AppData,
    ) -> Result<Result<Server, NoServer>, Stopped> {
        self.ask(|answer| Request::Server(terminator.clone(), data, answer))
            .await
    }

    /// The service of each of these flows that are intercepted, in order.
    pub(crate) async fn services(
        &self,
        flows: Vec<FlowKey>,
    ) -> Result<Vec<Option<ServiceId>>, Stopped> {
        self.ask(|answer| Request::Services(flows, answer)).await
    }

    async fn ask<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, Stopped> {
        let (sender, answer) = oneshot::channel();
        let sent = self.0.send(request(sender)).await;
        sent.map_err(|_stopped| Stopped)?;
        answer.await.map_err(|_stopped| Stopped)
    }
}
