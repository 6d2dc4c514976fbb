//! One end of a circuit as a state machine without I/O.
//!
//! A circuit connects two [`Endpoint`]s: at routers, or in SDKs. Routers between them only forward. An end
//! numbers what is written to it, sends it as payloads, and sends again what is not acknowledged; the
//! other end puts payloads in order and acknowledges them. The wire format is that of OpenZiti's xgress
//! ([`portcullis_wire::xgress`]).
//!
//! This crate opens no sockets, reads no clock and draws no random numbers: the caller passes segments,
//! payloads, acknowledgements and instants, and polls for what to send, events and one deadline.
//!
//! ```text
//! write, finish, close    -> Endpoint -> poll_payload, poll_acknowledgement   to the next hop
//! read                    <- Endpoint <- handle_payload, handle_acknowledgement
//! poll_event, poll_timeout <-         <- handle_timeout
//! ```
//!
//! # Guarantees
//!
//! - What is written at one end is read at the other, in order and once, with the same borders, whatever
//!   is lost, delayed or doubled on the way, until the circuit ends.
//! - Memory is bounded whatever the other end sends; [`Options`] says by what. What there is no room for
//!   is not acknowledged, so it is sent again.
//! - Nothing blocks: a write that there is no room for gives the segment back, and an end whose next hop
//!   has no room is not polled.
//! - Segments are never copied. Work for a payload does not depend on how many there are, or with their
//!   logarithm if they arrive out of order.
//! - The same calls lead to the same output.
//!
//! # Where it differs from OpenZiti
//!
//! Both ends of a circuit may be of either kind. These differences are not visible on the wire, or
//! harmless there:
//!
//! - Payloads are not sent again because of time alone: one that was sent later has to be acknowledged
//!   first. Without any acknowledgement the oldest two are sent again, less and less often. So a path
//!   that gets slower does not have to carry everything twice, and streams that share it do not drive
//!   each other out.
//! - What is on its way has to fit beside what the other end still holds, so that it does not have to be
//!   thrown away there.
//! - Round trips are measured by the clock of this end, not by headers that other clocks write.
//! - The window bounds what is sent again, too. It shrinks once in a round trip, if losses say that the
//!   path is full, and grows by what was acknowledged since it last changed, not by all that ever was.
//! - What was sent again and is acknowledged says which time has arrived, by its age: while a queue fills, it is often
//!   the first one, and nothing that was sent in between is lost.
//! - A sender that exceeds the window does not end the circuit: what there is no room for is neither kept nor
//!   acknowledged, so it harms nobody but itself.
//! - Payloads that arrive together are acknowledged together.
//! - A direction ends when its end is acknowledged, not five seconds later.
//! - Before the numbers of payloads run out, the circuit ends; OpenZiti would take numbers that begin
//!   anew for duplicates.
//!
//! # Examples
//!
//! ```
//! use portcullis_channel::Now;
//! use portcullis_xgress::{Endpoint, Options, Received, Segment, Side};
//! use std::sync::Arc;
//!
//! let (now, options) = (Now::default(), Arc::new(Options::default()));
//! let mut dialing = Endpoint::new(Side::Initiator, "abc".to_owned(), options.clone(), now);
//! let mut hosting = Endpoint::new(Side::Terminator, "abc".to_owned(), options, now);
//!
//! dialing.write(Segment::from("hello"), now)?;
//! while let Some(payload) = dialing.poll_payload(now) {
//!     hosting.handle_payload(payload, now);
//! }
//! assert_eq!(hosting.read(now), Some(Received::Segment(Segment::from("hello"))));
//! # Ok::<(), portcullis_xgress::WriteError>(())
//! ```

mod acks;
mod endpoint;
mod factor;
mod options;
mod receive;
mod round_trip;
mod segment;
mod send;
mod stats;
mod weight;
mod window;

pub use endpoint::{
    EndReason, Endpoint, EndpointEvent, Side, TimeoutReason, WriteError, WriteErrorKind,
};
pub use factor::Factor;
pub use options::{MAX_OVERHEAD, MAX_PAYLOADS, Options};
pub use segment::{Received, Segment};
pub use stats::{Counters, Stats};
pub use weight::{compact, weight};
