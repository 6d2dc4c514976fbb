//! The right to dial a service or to host it, judged for a router that asks.
//!
//! | Who asks | Through | Judged as |
//! |---|---|---|
//! | a client with a service session | [`judge`] | the identity of its API session |
//! | a client with an access token | [`judge_dial_by_identity`] | the identity of the token, whatever else the router says |
//! | the tunneler of a router, or a listener without clients | [`judge_dial_by_router`], [`judge_bind_by_router`] | the identity of the router, which exists while its tunneler is enabled |
//!
//! Everything is read from the records as they are now, as for requests. The router itself has to be
//! one that edge-router policies give to the identity, and service-edge-router policies to the service.

//!
//! A right that was granted once is judged again while it is in use: when something is committed or
//! reported that concerns it ([`RightsWatch`]), and when time alone may have ended it ([`judge_again`]).

mod by_router;
mod by_session;
mod edge_routers;
mod in_use;
mod losses;
mod refusal;
mod right;
mod watch;

pub(crate) use by_router::find_identity as find_router_identity;
pub use by_router::{NamedService, judge_bind_by_router, judge_dial_by_router};
pub use by_session::{PresentedSession, judge, judge_dial_by_identity, presenter};
pub use in_use::{RightInUse, Verdict, judge_again};
pub(crate) use losses::Losses;
pub use refusal::{Refusal, RetryHint};
pub use right::{GrantedService, Right, RightSession};
pub use watch::{Concerned, RightsWatch, posture_changed};
