//! A login on its way from the authorization request to the code.
//!
//! ```text
//! begun --primary factor--> open --secondary factors--> complete --> code issued --> redeemed
//!   |                                                      ^
//!   +--------- primary factor, and nothing else open ------+
//! ```
//!
//! [`Login`] is that part of it in which somebody proves who they are. Each step is a function of the state that
//! it finds, so steps that are taken at the same time do not undo each other. [`LoginRequests`] keeps logins in memory, bounded, and turns a complete one into a code and the code into
//! a session, each once.
//!
//! What a login *needs* is told at each step by the caller, from the records as they are then. What it *has* is
//! kept here. A login is complete when nothing that is needed is missing.

mod binding;
mod code;
mod factors;
mod requests;
mod state;

pub use binding::{BindingSecret, Presenter};
pub use code::{AuthorizationCode, RedeemError, Redemption};
pub use factors::{CertificateFacts, ClientDetails, PrimaryFactor, SecondaryFactor};
pub use requests::{
    CODE_LIFETIME, IssueError, LOGIN_LIFETIME, LoginLimits, LoginRequestError, LoginRequestId,
    LoginRequests, NewLogin,
};
pub use state::{AuthenticatedLogin, Login, LoginError};
