//! Sockets of programs that know nothing of the network.

mod network;

pub use network::{
    Circuit, DatagramCircuit, DialError, DialRequest, Host, HostError, Incoming, Network,
};
