//! Service sessions: permission of an API session to dial or bind a service, for routers to see.
//!
//! A service session is a record, but valid only while its grant is: reads evaluate the current
//! policies and posture checks, and a cleanup deletes sessions that lost their grant.

mod cleanup;
mod create;
mod grant_evaluator;
mod list;
mod presented;
mod routers;
mod session_quota;

pub use cleanup::sweep;
pub use create::{CreateServiceSession, NewServiceSession, create};
pub(crate) use grant_evaluator::GrantEvaluator;
pub use list::{delete, delete_own, list, list_own, read, read_own, read_route_path};
pub use presented::find_ended;
pub(crate) use presented::find_presented;

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};

actions! {
    /// Requests a service session.
    Create = Access::Full;
    /// Reads the caller's own service sessions.
    ReadOwn = Access::Full;
    /// Ends one of the caller's own service sessions.
    DeleteOwn = Access::Full;
    /// Reads one service session or a list.
    Read = Access::Granted(Subject::Ops, Verb::Read);
    /// Ends a service session of any identity.
    Delete = Access::Granted(Subject::Ops, Verb::Delete);
}

/// Noun in error messages.
const NOUN: &str = "session";
