//! An SDK made of the project's own parts: what a router sees of the programs at its edge.
//!
//! ```text
//! greet -> Sdk -> binds, dials -> legacy flow: send_all, receive_all
//!                              -> flow of the SDK: carry with a writer or a reader
//! ```
//!
//! It says only what it is told to say, over any stream. What is unexpected panics, as in a test.
//!
//! Only tests and benchmarks use this crate.

mod carry;
mod circuit;
mod messages;
mod sdk;

pub use carry::{carry, reader, writer};
pub use circuit::{accept, dial_through, next_data, receive_all, send_all};
pub use messages::{bind, data, dial, dial_v2};
pub use sdk::{Sdk, first_of_group, further, greet};
