//! Service sessions: what API sessions were granted about services, for routers to see.
//!
//! A service session is a record, but it is there only while its grant is: whoever reads one asks
//! the policies and checks of this moment, and those that lost theirs are swept away.

mod create;
mod grant;
mod list;
mod room;
mod routers;
mod upkeep;

pub use create::{NewServiceSession, Wanted, create};
pub use list::{delete, delete_own, list, list_own, read, read_own, read_route_path};
pub(crate) use upkeep::Round;
pub use upkeep::sweep;

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};

actions! {
    /// Asks for a service session.
    Create = Access::Full;
    /// Reads the caller's own service sessions.
    ReadOwn = Access::Full;
    /// Ends one of the caller's own service sessions.
    DeleteOwn = Access::Full;
    /// Reads one service session or a list.
    Read = Access::Granted(Subject::Ops, Verb::Read);
    /// Ends a service session of anybody.
    Delete = Access::Granted(Subject::Ops, Verb::Delete);
}

/// What errors call one of them.
const NOUN: &str = "session";
