//! Sockets of programs that know nothing of the network: servers that are hosted, ports that stand for services,
//! and connections that are intercepted.

mod change;
mod checks;
mod clock;
mod dialing;
mod ends;
mod flows;
mod host_names;
mod hosting;
mod interceptor;
mod network;
mod options;
mod places;
mod proxy;
mod questions;
mod refusals;
mod runner;
mod shared;
mod tasks;
mod tunnel;

pub use change::ServiceChange;
pub use flows::{DatagramReceiver, DatagramReplies};
pub use interceptor::{InterceptError, Interceptor};
pub use network::{
    Circuit, DatagramCircuit, DialError, DialRequest, Host, HostError, Incoming, Network,
};
pub use options::TunnelOptions;
pub use runner::{NameServerInput, NameServerSockets, Runner};
pub use tunnel::Tunnel;
