//! Links: which listeners of other routers are dialed, when, and when again.
//!
//! A [`Dialer`] dials the listeners that share a group with it. [`Links`] is told what controllers say
//! about other routers and what became of attempts and links; it says what to dial and what to close.
//!
//! | Event | Effect |
//! |---|---|
//! | a router connects to a controller | what is not linked is dialed now, and pauses follow `healthyDialBackoff` |
//! | it disconnects | pauses follow `unhealthyDialBackoff` from the next failure on; links stay |
//! | it announces other listeners | new ones are dialed; links that were dialed to those that left or share no group any more are closed (one that the other router dialed is for that router to close); a changed address is dialed in place of the old one |
//! | an attempt fails | the pause grows and the listener is dialed after it |
//! | a link closes | it is dialed again: at once if it stood longer than the shortest pause, else when that is over |
//! | two links for the same purpose | one of them is closed |
//!
//! So two attempts for a link never begin closer to each other than the shortest pause
//! (`minRetryInterval`), unless a router comes back to a controller between them.

mod chores;
mod connections;
mod dialer;
mod groups;
mod machine;
mod names;
mod open;
mod peer;
mod policy;
mod target;

pub use crate::links::chores::{Action, Why};
pub use crate::links::connections::Connections;
pub use crate::links::dialer::{Dialer, dialers};
pub use crate::links::groups::Groups;
pub use crate::links::machine::{Admission, DialFailure, Links, Status};
pub use crate::links::names::{Link, LinkId, LinkKey, RouterId};
pub use crate::links::peer::{Announcement, Listener};
pub use crate::links::policy::{Policy, PolicyError};
pub use crate::links::target::{Dial, Ticket};
