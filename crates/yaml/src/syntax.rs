//! Notations inside strings that both the router's and the controller's file use.

mod duration;
mod host_port;

pub use duration::{DurationError, GoDuration};
pub use host_port::{HostPort, HostPortError};
