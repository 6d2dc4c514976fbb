//! Health: the checks, and the API that shows them.
//!
//! [`HealthChecks`] keeps the two checks of a router. It says which of them has to run and takes in what
//! was found; [`HealthChecks::document`] shows both as JSON, and [`answer`] makes the HTTP answer out of
//! that. [`servers`] finds the entries of `web` that serve it.
//!
//! | Check | Section | Passes while |
//! |---|---|---|
//! | `controllerPing` | `healthChecks.ctrlPingCheck` | a controller is connected and not slow |
//! | `link.health` | `healthChecks.linkCheck` | there are `minLinks` links |

mod answer;
mod check;
mod checks;
mod document;
mod query;
mod servers;

pub use crate::health::answer::{Answer, Request, answer};
pub use crate::health::check::{Failing, Outcome, Reason, Schedule};
pub use crate::health::checks::{Controllers, CountRun, HealthChecks, PingRun, Settings, Work};
pub use crate::health::document::{Connection, Form, LinkDetail};
pub use crate::health::servers::{BINDING, BindPoint, HealthServer, servers};
