//! Health checks and the API that serves them.
//!
//! [`HealthChecks`] manages the two checks of a router. It tells which of them must run and records
//! their results; [`HealthChecks::document`] renders both as JSON, and [`respond`] builds the HTTP
//! response. [`web_servers`](crate::web::web_servers) finds the entries of `web` that serve it.
//!
//! | Check | Section | Passes while |
//! |---|---|---|
//! | `controllerPing` | `healthChecks.ctrlPingCheck` | a controller is connected and not slow |
//! | `link.health` | `healthChecks.linkCheck` | there are `minLinks` links |

mod check;
mod checks;
mod document;
mod query;
mod response;

pub use crate::health::check::{CheckFailure, CheckState, FailureReason, Schedule};
pub use crate::health::checks::{
    ControllerStatus, CountRun, DueCheck, HealthChecks, HealthOptions, PingRun,
};
pub use crate::health::document::{Connection, DetailLevel, LinkDetail};
pub use crate::health::response::{HealthResponse, Request, respond};
