//! Routers: what carries the traffic of the network.

use crate::action::actions;
use portcullis_domain::access::Access;

actions! {
    /// Reads the edge routers that the caller may use.
    ReadOwnRouters = Access::Full;
}
