//! The network, as a tunneler uses it.

use bytes::Bytes;
use portcullis_domain::identity::Precedence;
use portcullis_tunneler::{Dial, TerminatorId, TerminatorOptions};
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpStream;

/// The network, as a tunneler uses it: through an SDK, or from within a router.
pub trait Network: Send + Sync + 'static {
    type Circuit: Circuit;
    type Host: Host<Circuit = Self::Circuit>;

    /// Dials a service. Returns once the hosting end has answered, or after [`Dial::timeout`]. Dropping the future
    /// gives the dial up.
    fn dial(
        &self,
        request: DialRequest,
    ) -> impl Future<Output = Result<Self::Circuit, DialError>> + Send;

    /// Creates a terminator. Returns once the network has it, or has refused it. Dropping the future gives it up: the
    /// network does not keep it.
    fn host(
        &self,
        terminator: TerminatorId,
        options: TerminatorOptions,
    ) -> impl Future<Output = Result<Self::Host, HostError>> + Send;
}

/// A dial for a client of the tunneler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DialRequest {
    pub dial: Dial,
    /// Where the client is.
    pub client: SocketAddr,
    /// The address that the client has connected to.
    pub local: SocketAddr,
}

/// A circuit to the other end of a service. Dropping it closes it, or refuses it if it was offered.
pub trait Circuit: Send + 'static {
    type Datagrams: DatagramCircuit;

    /// Carries between the circuit and a socket until both directions are over, and passes on that one of them
    /// has ended. Returns once nothing more is carried; dropping the future ends both at once.
    fn carry(self, socket: TcpStream) -> impl Future<Output = io::Result<()>> + Send;

    /// Sends and receives messages that stay whole.
    fn into_datagrams(self) -> Self::Datagrams;
}

/// A circuit of datagrams. Both directions can be used at a time.
pub trait DatagramCircuit: Send + Sync + 'static {
    /// Sends a datagram, or drops it if the circuit has no room.
    ///
    /// # Errors
    ///
    /// If the circuit is over.
    fn send(&self, datagram: Bytes) -> io::Result<()>;

    /// The next datagram; `None` when the circuit is over. One task at a time. Nothing is lost if the future is
    /// dropped.
    fn receive(&self) -> impl Future<Output = Option<Bytes>> + Send;
}

/// A terminator that the network has. Dropping it removes it; its circuits go on.
pub trait Host: Send + 'static {
    type Circuit: Circuit;
    type Incoming: Incoming<Circuit = Self::Circuit>;

    /// The next dial of somebody; `None` when the terminator has ended. Nothing is lost if the future is dropped.
    fn next(&mut self) -> impl Future<Output = Option<Self::Incoming>> + Send;

    /// Changes precedence and cost.
    fn update(&self, precedence: Precedence, cost: u16);

    /// Tells the controller whether the server is healthy.
    fn report_health(&self, is_healthy: bool);
}

/// A dial that waits for an answer. Dropping it refuses it.
pub trait Incoming: Send + 'static {
    type Circuit: Circuit;

    /// What the dialing end says of the connection, as it came.
    fn app_data(&self) -> &[u8];

    /// The name of the identity that dials, if it is known.
    fn caller(&self) -> Option<&str>;

    /// Takes the circuit. `local` and `remote` are the ends of the connection to the server, for events.
    fn accept(self, local: SocketAddr, remote: SocketAddr) -> Self::Circuit;

    /// Does not take it. The dialing end is told why.
    fn refuse(self, kind: RefusalKind, reason: &str);
}

/// Of which kind the reason is that a dial is not taken, for networks that tell these apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// The service does not allow the protocol, address or port that is asked for.
    NotAllowed,
    /// The server refuses connections.
    ConnectionRefused,
    /// The server has not answered in time.
    TimedOut,
    Other,
}

/// A dial has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct DialError {
    /// A text for people.
    pub reason: String,
}

/// A terminator was not created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct HostError {
    /// A text for people.
    pub reason: String,
}
