//! Who may do what: the router's copy of the data model, sessions, posture, and what follows from them.
//!
//! ```text
//! controllers -> Replica        the data model, by its change sets; a file for the next start
//!             -> LegacySessions sessions that controllers announce
//! SDKs        -> SessionPosture what they say of their machines
//!                    |
//!             AccessControl     answers the edge, names what loses its right, and when to look again
//! ```
//!
//! A [`Replica`] follows one controller. Its [`DataModel`] knows the policies of each identity, so that a
//! right is judged in time proportional to them ([`DataModel::judge`]). Posture checks are evaluated by
//! `portcullis-posture`, as controllers do.
//!
//! [`AccessControl`] puts everything together. Whatever arrives is handed to it, and every call that may
//! change a right returns the [`Consequences`]: channels to close, circuits and terminators that have lost
//! their right. What time ends is named by [`AccessControl::handle_timeout`] when the
//! [deadline](AccessControl::deadline) has come. Signatures are verified by a [`TokenVerifier`] of the
//! program, outside of whatever lock its [`Keeper`] has.

mod binding;
mod claims;
mod clients;
mod consequences;
mod control;
mod deadlines;
mod legacy;
mod model;
mod posture;
mod replica;
mod services;
mod usages;
mod verifier;

pub use claims::{AccessClaims, Audience};
pub use consequences::{Consequences, EndReason, LossReason};
pub use control::{AccessControl, Keeper};
pub use legacy::{LegacySession, LegacySessions};
pub use model::{
    DataModel, EffectiveConfig, IdentityService, Judgement, ModelTooLargeError, Policy, Touched,
};
pub use posture::{PostureReports, SessionPosture};
pub use replica::{FileError, Reception, Replica};
pub use usages::{Usage, UsageSubject, UsedService};
pub use verifier::TokenVerifier;
