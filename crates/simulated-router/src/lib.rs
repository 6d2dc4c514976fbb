//! A router made of the project's own parts: what a controller sees of a router of OpenZiti 2.1.
//!
//! ```text
//! RouterEnrollment -> RouterIdentity -> TlsConnector -> SimulatedRouter
//!                           a connector of the test's own -^
//! ```
//!
//! It says only what it is told to say, so that it can lie. Any number of routers may live in one
//! process. What is unexpected panics, as in a test.
//!
//! Only tests and benchmarks use this crate.

mod identity;
mod options;
mod patience;
mod router;
mod tls;

pub use identity::{RouterEnrollment, RouterIdentity};
pub use options::RouterOptions;
pub use router::{Refused, SimulatedRouter};
pub use tls::TlsConnector;
