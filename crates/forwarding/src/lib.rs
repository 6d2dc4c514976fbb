//! What a router forwards where, without I/O.
//!
//! Controllers tell routers with routes what to do with the payloads of circuits: what comes from one
//! address goes to another. An address is that of a link, or of an end of the circuit at this router. This
//! crate keeps the routes and answers, for each payload, where it goes. It opens no sockets and reads no
//! clock.
//!
//! ```text
//! Route, Unroute         -> Forwarder -> forward: where a payload goes
//! links and ends, coming               -> poll_ended: circuits whose ends have to go
//! and going
//!
//! Forwarder -> IdleScan  -> CircuitConfirmation   circuits that nobody uses
//! NoWay     -> Faults    -> Fault                 payloads that lead nowhere
//! Control   -> trace_step                         traces of the way of a circuit
//! Route     -> WorkQueue                          dials, a few at a time
//! ```
//!
//! # How a router uses it
//!
//! One [`Forwarder`] stands behind a readers-writer lock. A connection of a link or an SDK knows its own
//! [`Hop`]. For each payload it takes the lock for reading, looks up the circuit, and puts the payload,
//! as it was read from the wire, into the queue of its destination: one look-up in a hash table, no copy,
//! nothing that waits. Routes and links take the lock for writing. Payloads that lead nowhere touch
//! nothing but [`Faults`], which has a lock of its own. [`IdleScan`] belongs to one task; it needs the lock
//! for reading while it looks at the circuits, and not while it makes messages.
//!
//! # Guarantees
//!
//! - Only routes make the tables grow, and they have limits; what peers send does not.
//! - A route is taken wholly or not at all.
//! - A link that is dialed again takes over the circuits of its id. Nothing reaches an end in the place of
//!   another that has gone.
//! - What does not fit is refused at once.
//!
//! # Examples
//!
//! ```
//! use portcullis_channel::Moment;
//! use portcullis_forwarding::{Activity, Forwarder, ForwardingOptions};
//! use portcullis_wire::control::route::{DestinationKind, Forward, Route};
//!
//! let mut forwarder = Forwarder::new(ForwardingOptions::default());
//! let (first, _) = forwarder.attach("link 1", "to link 1");
//! let (second, _) = forwarder.attach("link 2", "to link 2");
//!
//! let forward = |from: &str, to: &str| Forward {
//!     source: from.to_owned(),
//!     destination: to.to_owned(),
//!     destination_kind: DestinationKind::Link,
//! };
//! let route = Route {
//!     circuit_id: "circuit".to_owned(),
//!     forwards: vec![forward("link 1", "link 2"), forward("link 2", "link 1")],
//!     ..Route::default()
//! };
//! let now = Moment::ZERO;
//! forwarder.route(&route, &"controller", now)?;
//! assert_eq!(forwarder.forward("circuit", first, Activity::Shown, now), Ok(&"to link 2"));
//! assert_eq!(forwarder.forward("circuit", second, Activity::Shown, now), Ok(&"to link 1"));
//! # Ok::<(), portcullis_forwarding::RouteRefusal>(())
//! ```

mod circuit;
mod faults;
mod forwarder;
mod hops;
mod idle;
mod options;
mod trace;
mod work_queue;

pub use faults::{FaultReport, Faults};
pub use forwarder::{Activity, CircuitView, EndedCircuit, Forwarder, NoWay, Passage, RouteRefusal};
pub use hops::Hop;
pub use idle::{Confirmation, IdleCircuits, IdleScan};
pub use options::ForwardingOptions;
pub use trace::{TraceStep, trace_step};
pub use work_queue::{QueueFull, WorkQueue};
