//! A DNS server for the names that a tunneler intercepts, as a state machine without I/O.
//!
//! Services are reached by names that exist nowhere else, so a tunneler makes up an address for each
//! ([`InterceptedNames`]), and [`NameServer`] tells it to whoever asks. What else is asked goes to upstreams. This
//! crate opens no sockets and reads no clock: the caller hands in messages and instants, and polls for what to send.
//!
//! ```text
//! handle_query (a message of a client) -> NameServer -> poll_output: replies, queries to upstreams
//! handle_answer, handle_unreachable    ->            -> poll_event, counters
//! handle_timeout, poll_timeout        <->
//!
//! insert, remove (a service)   -> InterceptedNames -> names that are no longer intercepted
//! a connection to an address   ->                  -> its name, and by that its service
//! touch, release_idle          ->                  -> names whose addresses others can have
//! ```
//!
//! # What is answered
//!
//! | Query | Answer |
//! |---|---|
//! | A or AAAA of an intercepted name | its address, if the range is of that kind; otherwise no record, but no error either, so that nobody looks elsewhere |
//! | another type of an intercepted name | no record |
//! | PTR of an address of the range | the name that has it, or NXDOMAIN |
//! | an intercepted name, but no address is left | SERVFAIL, and an event |
//! | another name | what an upstream answers; SERVFAIL if none does in time |
//! | another name, without upstreams | what [`Unanswerable`] says |
//! | another opcode | NOTIMP |
//! | another class, a transfer of a zone | REFUSED |
//! | not one question, more than one OPT record, bytes that are no message | FORMERR |
//! | a later version of EDNS | BADVERS |
//! | an answer; fewer than four bytes | nothing |
//!
//! Clients may not remember that a name has no address: a service may come any time. There is no cache: the
//! resolvers of clients have one.
//!
//! # Guarantees
//!
//! - A query gets one answer at most, and exactly one if it is a query, unless [`Unanswerable::Silence`] is
//!   wanted. One that is sent again while the first waits gets no second one.
//! - A name keeps its address as long as clients may remember it, or are connected to it, and an
//!   [hour](NameLimits::idle_time) longer; then, another name can have it if names are short.
//! - Memory is bounded whatever clients and upstreams send; [`NameServerOptions`] says by what. One address cannot
//!   take all places.
//! - An answer of an upstream counts if it comes from there to the socket that it was asked from, with the
//!   identifier that was drawn for it and with the question (RFC 5452). The same question is not asked twice at
//!   a time.
//! - No answer over UDP is longer than the client says, nor than 1232 bytes; one that would be is marked as
//!   truncated, and the client may ask again over TCP.
//! - Each [`Output::Ask`] is followed by one [`Output::Forget`], so sockets do not pile up.
//!
//! # Examples
//!
//! ```
//! use portcullis_channel::Moment;
//! use portcullis_domain::entropy::{Entropy, EntropyError};
//! use portcullis_name_server::{
//!     Client, InterceptedNames, NameLimits, NameServer, NameServerOptions, Output, Transport,
//! };
//! use portcullis_tunnel_config::{Intercept, NameAddresses};
//! use serde_json::json;
//! use std::sync::Arc;
//!
//! # struct Zeros;
//! # impl Entropy for Zeros {
//! #     fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
//! #         bytes.fill(0);
//! #         Ok(())
//! #     }
//! # }
//! let mut names = InterceptedNames::new(NameAddresses::default(), NameLimits::default());
//! let config = json!({
//!     "protocols": ["tcp"],
//!     "addresses": ["*.corp"],
//!     "portRanges": [{"low": 443, "high": 443}],
//! });
//! names.insert("wiki", &Intercept::from_intercept_v1(&config)?);
//!
//! let mut server = NameServer::new(&NameServerOptions::default(), Arc::new(Zeros));
//! let client = Client {
//!     address: "127.0.0.1:5000".parse()?,
//!     transport: Transport::Udp,
//!     socket: 0,
//! };
//! let query = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04wiki\x04corp\x00\x00\x01\x00\x01";
//! server.handle_query(query, client, &mut names, Moment::ZERO);
//! let Some(Output::Reply { message, .. }) = server.poll_output() else {
//!     panic!("an answer")
//! };
//! assert_eq!(message.first_chunk(), Some(b"\x12\x34"));
//! assert_eq!(message.last_chunk(), Some(&[100, 64, 0, 2]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `upstream`, `options`, `output`, `names`, `reverse`;
//! `event`, `report`; `query`, `answer`, `reading`, `relay`; `health`, `lookup`, `lookups`; `server`.

mod answer;
mod event;
mod health;
mod lookup;
mod lookups;
mod names;
mod options;
mod output;
mod query;
mod reading;
mod relay;
mod report;
mod reverse;
mod server;
mod upstream;

#[cfg(test)]
mod tests;

pub use crate::event::{Counters, NameServerEvent};
pub use crate::names::{InterceptedNames, NameAddress, NameLimits, NoAddress, ReleasedName};
pub use crate::options::{NameServerOptions, Unanswerable, UpstreamOrder, WordError};
pub use crate::output::{Client, Output, UpstreamQueryId};
pub use crate::server::NameServer;
pub use crate::upstream::{Transport, Upstream, UpstreamError};
