//! Syntax of strings that occur in both router and controller configuration files.

mod duration;
mod host_port;

pub use duration::{DurationError, GoDuration};
pub use host_port::{HostPort, HostPortError};
