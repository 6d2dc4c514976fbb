//! Which controllers there are, what they are told at first, and when certificates are renewed.
//!
//! ```text
//! configuration, endpoints file, controllers -> KnownControllers -> targets to dial, endpoints file
//! ```

mod address;
mod channel_traces;
mod endpoints_file;
mod greeting;
mod interfaces;
mod known;
mod reconnects;
mod renewal;
mod settings;

pub use address::{ControlAddress, ControlAddressError};
pub use channel_traces::{ChannelTraces, Pipe};
pub use endpoints_file::{EndpointsFile, EndpointsFileError};
pub use greeting::{EdgeOffer, Greeting, check_controller};
pub use interfaces::{InterfaceReports, InterfaceSettings};
pub use known::{Identified, KnownControllers, Target};
pub use reconnects::Reconnects;
pub use renewal::{renewal_due, retry_pause};
pub(crate) use settings::SHORTEST_QUEUE;
pub use settings::{ControlSettings, configured, controller_addresses};
