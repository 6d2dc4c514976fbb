//! Who may call what, and that nobody comes by more.

mod authority;
mod escalation;
mod escalation_search;
mod fresh_factor;
pub(crate) mod matrix;
mod named_principals;
mod ownership;
mod rank;
mod reading;
