//! Flows of datagrams that a tunneler intercepts, and the circuits that carry them, without I/O.
//!
//! UDP has no connections, so a tunneler makes them up: datagrams from one address of a client to one
//! destination are a flow, and a flow has a circuit of its own. [`FlowTable`] says for each datagram which
//! circuit it belongs to, when a circuit has to be dialed, and which flows have ended. `T` is what the caller
//! knows a circuit by. This crate opens no sockets and reads no clock.
//!
//! ```text
//! receive (a datagram of a client) -> FlowTable -> Received: forward it, dial a circuit, or nothing
//! opened, failed (the dial)        ->           -> what has waited for the circuit
//! answered (a datagram back)       ->
//! handle_timeout, poll_timeout    <->           -> flows that were idle
//! ```
//!
//! # Guarantees
//!
//! - Datagrams stay whole and in order: none is divided, joined with another one or shortened. What there is no
//!   room for is dropped and counted, as networks do.
//! - Memory is bounded whatever clients send; [`FlowOptions`] says by what.
//! - A client that opens many flows pushes out its own. If the table is full, the client with the most flows
//!   gives the one that it has used least recently, but only to a client that has fewer even with the new flow.
//!   Otherwise the new flow takes the place of the least recently used one of its own client; a client without
//!   any is refused. So nobody loses the last flow to somebody else, however many addresses send.
//! - A circuit that cannot be dialed is not dialed for every datagram: a flow whose dial failed drops what comes
//!   for a while.
//! - Work for a datagram grows with the logarithm of the number of flows, and so does that for each flow that
//!   ends. Nothing looks at all flows except [`FlowTable::end_where`] and [`FlowTable::open_flows`].
//!
//! A client is one IP address. Networks of IPv6 are not taken for one client, unlike those of clients from
//! afar: the neighbours of a tunneler usually share one.
//!
//! # Examples
//!
//! ```
//! use bytes::Bytes;
//! use portcullis_channel::Moment;
//! use portcullis_datagram_flows::{FlowKey, FlowOptions, FlowTable, Received};
//! use std::time::Duration;
//!
//! let mut flows = FlowTable::new(FlowOptions::default());
//! let key = FlowKey {
//!     client: "192.0.2.7:5000".parse()?,
//!     destination: "100.64.0.2:53".parse()?,
//! };
//! let start = Moment::ZERO;
//! let Received::Dial { flow, .. } = flows.receive(key, Bytes::from("one"), start) else {
//!     panic!("a new flow")
//! };
//! assert!(matches!(flows.receive(key, Bytes::from("two"), start), Received::Waits));
//!
//! // The circuit is there.
//! let waiting = flows.opened(flow, "circuit", start).expect("the flow is still there");
//! assert_eq!(waiting, ["one", "two"]);
//! let Received::Forward { circuit, datagram } = flows.receive(key, Bytes::from("three"), start) else {
//!     panic!("an open flow")
//! };
//! assert_eq!((*circuit, datagram), ("circuit", Bytes::from("three")));
//!
//! let later = start + Duration::from_mins(5);
//! let ended = flows.handle_timeout(later).expect("an idle flow");
//! assert_eq!(ended.circuit, Some("circuit"));
//! # Ok::<(), std::net::AddrParseError>(())
//! ```

mod clients;
mod flow;
mod options;
mod table;
mod waiting;

#[cfg(test)]
mod tests;

pub use crate::flow::{EndedFlow, FlowId, FlowKey};
pub use crate::options::FlowOptions;
pub use crate::table::{DropReason, FlowTable, Received};
