//! Links: dialing of other routers' listeners.
//!
//! A [`Dialer`] dials the listeners that share a group with it. [`Links`] receives what controllers
//! report about other routers and the results of attempts; it decides what to dial and what to
//! close.
//!
//! | Event | Effect |
//! |---|---|
//! | a router connects to a controller | missing links are dialed now, and pauses follow `healthyDialBackoff` |
//! | it disconnects | pauses follow `unhealthyDialBackoff` from the next failure on; links stay |
//! | it announces other listeners | new ones are dialed; links that were dialed to removed ones, or to ones without a common group, are closed (those that the other router dialed are left to it); a changed address replaces the old one |
//! | an attempt fails | the pause grows and the listener is dialed after it |
//! | a link closes | it is dialed again: at once if it lasted longer than the shortest pause, otherwise when that is over |
//! | two links with the same key | one of them is closed |
//!
//! So two attempts for a link are at least the shortest pause (`minRetryInterval`) apart, unless a
//! router reconnects to a controller between them.

mod backoff;
mod connection_layout;
mod dial_target;
mod dialer;
mod group_names;
mod names;
mod open_links;
mod peer;
mod scheduled_actions;
mod settings;
mod state_machine;
mod view;

pub use crate::links::backoff::{BackoffPolicy, BackoffPolicyError};
pub use crate::links::connection_layout::ConnectionLayout;
pub use crate::links::dial_target::{Dial, DialTicket};
pub use crate::links::dialer::{Dialer, dialers};
pub use crate::links::group_names::GroupNames;
pub use crate::links::names::{Link, LinkId, LinkKey, RouterId};
pub use crate::links::peer::{Announcement, Listener};
pub use crate::links::scheduled_actions::{Action, LinkCloseReason};
pub use crate::links::settings::{LINK_PROTOCOL, LinkListener, LinkSettings, parse_address};
pub use crate::links::state_machine::{Admission, DialFailure, LinkStatus, Links};
pub use crate::links::view::{PeerView, TargetView};
