//! A tunnel, and what it is handed.

use crate::change::ServiceChange;
use crate::dialing::serve_stream;
use crate::flows::{DatagramReceiver, DatagramReplies, Flows};
use crate::network::Network;
use crate::options::TunnelOptions;
use crate::requests::{Ingress, Requests};
use crate::runner::Runner;
use crate::shared::Shared;
use portcullis_tunnel_config::{Protocol, TunnelerIdentity};
use portcullis_tunneler::{Event, Mode, Tunneler};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio::sync::{broadcast, mpsc, watch};

/// A tunnel. Clones are the same tunnel. It does nothing unless its [`Runner`] runs.
pub struct Tunnel<N> {
    shared: Arc<Shared<N>>,
    events: broadcast::Sender<Event>,
}

/// Requests, reports and events that may wait.
const ROOM: usize = 1_024;

impl<N: Network> Tunnel<N> {
    /// A tunnel for what an identity may use. `changes` tell what that is.
    pub fn new(
        network: N,
        identity: TunnelerIdentity,
        mode: Mode,
        options: TunnelOptions,
        changes: mpsc::Receiver<ServiceChange>,
    ) -> (Self, Runner<N>) {
        let (requests, asked) = mpsc::channel(ROOM);
        let (reports, reported) = mpsc::channel(ROOM);
        let (events, _) = broadcast::channel(ROOM);
        let (flow_checks, seen_flow_checks) = watch::channel(());
        let shared = Arc::new(Shared::new(
            network,
            options,
            Requests(requests),
            reports,
            seen_flow_checks,
        ));
        let tunneler = Tunneler::new(identity, mode);
        let runner = Runner::new(
            tunneler,
            Arc::clone(&shared),
            (changes, asked, reported),
            events.clone(),
            flow_checks,
        );
        (Self { shared, events }, runner)
    }

    pub(crate) const fn of(shared: Arc<Shared<N>>, events: broadcast::Sender<Event>) -> Self {
        Self { shared, events }
    }

    /// What cannot be done for services, from now on. The log has it, too.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Takes a connection that was intercepted on its way to `destination`, once there is a slot for it. It has a
    /// task of its own.
    pub async fn intercepted_stream(
        &self,
        stream: TcpStream,
        source: SocketAddr,
        destination: SocketAddr,
    ) {
        let slots = &self.shared.intercepted_streams;
        let Some((permit, _)) = slots.next().await else {
            return;
        };
        let Some(slot) = slots.take(source.ip(), permit) else {
            let _is_closed = stream.set_zero_linger();
            return;
        };
        let shared = Arc::clone(&self.shared);
        self.shared.tasks.spawn(async move {
            let _slot = slot;
            let ingress = Ingress::Intercepted(Protocol::Tcp);
            serve_stream(&shared, &ingress, stream, (source, destination)).await;
        });
    }

    /// Takes all datagrams that are intercepted, until the tunnel stops or there are none to be had for good.
    pub fn intercepted_datagrams(
        &self,
        receiver: impl DatagramReceiver,
        replies: impl DatagramReplies,
    ) {
        let ingress = Ingress::Intercepted(Protocol::Udp);
        let flows = Flows::new(Arc::clone(&self.shared), ingress, replies);
        self.shared.tasks.spawn(async move {
            if let Err(error) = flows.run(receiver).await {
                tracing::error!(%error, "datagrams are intercepted no longer");
            }
        });
    }
}

impl<N> Clone for Tunnel<N> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            events: self.events.clone(),
        }
    }
}
