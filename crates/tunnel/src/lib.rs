//! Sockets of programs that know nothing of the network: servers that are hosted, ports that stand for services,
//! and connections that are intercepted.
//!
//! What has to be done for services is said by [`Tunneler`](portcullis_tunneler::Tunneler), a state machine. A
//! [`Runner`] owns it, is told of [changes](ServiceChange) of services, and does what follows from them by tasks.
//! Circuits are those of a [`Network`]: an SDK, or the router that the tunnel is a part of.
//!
//! ```text
//! ServiceChange -> Runner (Tunneler, NameServer) -> a task for each terminator, port and check
//!                    ^ how to dial? which server?
//! clients    -> port, or Tunnel::intercepted_stream, _datagrams -> Network::dial -> Circuit
//! Host::next -> server of the configuration                     -> Incoming::accept -> Circuit
//! ```
//!
//! # What is plugged in
//!
//! | What | By |
//! |---|---|
//! | the network | [`Network`], with [`Circuit`] and [`Host`] |
//! | what makes the kernel hand over connections | [`Interceptor`], which is told [rules](portcullis_tunneler::InterceptRule) |
//! | connections that the kernel hands over | [`Tunnel::intercepted_stream`], [`Tunnel::intercepted_datagrams`] |
//! | the sockets of the name server | [`NameServerSockets`] |
//!
//! On Linux, `Runner::with_transparent_proxy` plugs in all but the first: the kernel's transparent proxy.
//!
//! # Guarantees
//!
//! - A server is connected to before the dial is accepted. Whoever dials is told in a sentence why it is not: which
//!   server does not answer, or what he asked for that the service does not allow.
//! - Each direction of a stream ends for itself, on both sides; datagrams stay whole, and come back from the address
//!   that they were sent to.
//! - A source address that somebody who dials asks for, and may have, is lent to the machine for his connection, if a
//!   transparent proxy is plugged in; otherwise it has to be one of the machine's own.
//! - When the right to dial or to host a service goes, or a name is intercepted no longer, connections that depend on
//!   it end at once. A port or a terminator that goes ends none.
//! - A port is opened again as soon as another service has it: the one before has let go of it by then. Its flows of
//!   datagrams end with that, as they share the port's socket.
//! - Connections, flows, dials, lookups of names and checks that there are at a time have limits, most of which are
//!   [`TunnelOptions`]. No client address has all slots of a port. Lines of the log that clients can cause are
//!   limited, too.
//! - All tasks end when the tunnel is shut down, whatever they wait for.
//!
//! A dial for the resolver of the hosting side (`connType` is `resolver`) is refused.

mod cancellation;
mod change;
mod checks;
mod clock;
mod connection_slots;
mod dialing;
mod flows;
mod host_names;
mod hosting;
mod interceptor;
mod network;
mod options;
mod outbound;
mod proxy;
mod refusals;
mod requests;
mod runner;
mod shared;
mod tasks;
mod tcp;
#[cfg(target_os = "linux")]
mod transparent;
mod tunnel;

pub use change::ServiceChange;
pub use flows::{DatagramReceiver, DatagramReplies};
pub use interceptor::{InterceptError, Interceptor};
pub use network::{
    Circuit, DatagramCircuit, DialError, DialRequest, Host, HostError, Incoming, Network,
    RefusalKind,
};
pub use options::TunnelOptions;
pub use runner::{NameServerInput, NameServerSockets, Runner};
#[cfg(target_os = "linux")]
pub use transparent::TransparentOptions;
pub use tunnel::Tunnel;
