//! Brings what the network tells of itself to files and streams, and waits for none of them.
//!
//! An [`EventBus`] takes events from whoever notices them and hands them to all who want them. Each has a
//! queue of its own: one that is full costs its subscriber events, which are counted, and nobody else
//! anything. [`EventSinks`] write to files and standard output, each from a thread of its own; an
//! [`EventStream`] is for whoever follows events over a connection.
//!
//! ```text
//! publish -> EventBus -> queue -> thread -> file, standard output
//!                     -> queue -> EventStream::recv
//! ```
//!
//! # What is guaranteed
//!
//! - A subscriber gets events in the order in which they were published, none twice.
//! - Publishing never waits: neither for a disk nor for a reader, nor for memory, since queues are bounded
//!   by number and size.
//! - A file may be moved, removed or truncated at any time, and its disk may be full: lines are whole
//!   and none is lost, as long as the queue takes what comes meanwhile.
//!
//! # Examples
//!
//! ```
//! use portcullis_event_sinks::EventBus;
//! use portcullis_events::{Body, Event, EventPublisher as _, Namespace, RouterStatus, Subscription};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let bus = EventBus::default();
//! assert!(!bus.wants(Namespace::Router));
//!
//! let options = Default::default();
//! let mut stream = bus.subscribe(vec![Subscription::new("router", &options)?], 100);
//! assert!(bus.wants(Namespace::Router));
//! bus.publish(Event {
//!     source: "ctrl1".into(),
//!     time: "2026-11-22T23:11:09.5Z".parse()?,
//!     body: Body::Router(RouterStatus { router_id: "r1".into(), is_online: true }),
//! });
//!
//! let line = stream.recv().await.expect("the bus is open");
//! assert_eq!(line.event_type, "router");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `log_interval`, `queue`, `count_schedule`; `bus`;
//! `stream`; `batch`; `output`; `progress`; `writer`; `sinks`.

mod batch;
mod bus;
mod count_schedule;
mod log_interval;
mod output;
mod progress;
mod queue;
mod sinks;
mod stream;
mod writer;

pub use crate::bus::EventBus;
pub use crate::output::{FileSettings, SinkOutput};
pub use crate::progress::SinkStatus;
pub use crate::sinks::{EventSinks, SinkSettings};
pub use crate::stream::EventStream;
