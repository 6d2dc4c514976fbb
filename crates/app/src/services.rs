//! Services and edge routers: kinds that have no members yet, but have callers.

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};

actions! {
    /// Reads the services that the caller may dial or bind.
    ReadOwnServices = Access::Full;
    /// Reads all services.
    ReadServices = Access::Granted(Subject::Service, Verb::Read);
    /// Asks for what the API describes and no controller does.
    Ask = Access::Full;
    /// Reads the edge routers that the caller may use.
    ReadOwnRouters = Access::Full;
}
