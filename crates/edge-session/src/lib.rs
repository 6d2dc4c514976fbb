//! The API session of a program at the edge of the network: what an SDK asks of the controller.
//!
//! An [`EdgeSession`] logs in, stays logged in, and knows what its identity may use. One task does all that; handles
//! read what it has found from [`watch`](tokio::sync::watch) channels, which hold the latest value only.
//!
//! ```text
//! token -> enroll -> IdentityFile -> EdgeIdentity --+
//!                                                   +--> EdgeSession::start -> task <--> controllers
//!                        SessionOptions, prompts ---+                           |
//!                                                                               v
//!  state   services   own_identity   edge_routers   posture     service_session   router_credential
//! ```
//!
//! # Life of a session
//!
//! ```text
//!                    start
//!                      |
//!                      v     code            TOTP is asked for
//!      +---------> LoggingIn <----- WaitingForCode <-----+
//!      |               |  |                              |
//!      |               |  +------------------------------+
//!      | pause,        |
//!      | log_in        +-- no controller answers --> Failed ---> pause: LoggingIn
//!      |               |
//!      |               +-- credential, code ------> Refused --> log_in: LoggingIn
//!      |               |
//!      |               v      the token is renewed
//!      |             Open <------------------------+
//!      |               |---------------------------+
//!      |  401, renewal |
//!      |  is refused   |
//!      +---------------+                   close, from anywhere: Closed
//! ```
//!
//! Certificates that were refused are tried again, at the longest pause: an administrator may enable the identity
//! again. Passwords, tokens and codes are not, so that nobody is locked out.
//!
//! # Kinds of sessions
//!
//! | | OpenID Connect | legacy |
//! |---|---|---|
//! | chosen | if the controller offers it, and the program does not forbid it | else |
//! | token | a JWT, which expires | a UUID |
//! | kept by | renewal after three fifths of its lifetime, or when the controller calls it expired | a request at least each half of the idle timeout |
//! | dialing and hosting | by the token itself | by [`service_session`](EdgeSession::service_session) |
//! | posture is judged by | edge routers: [`posture`](EdgeSession::posture) is for them | the controller, which is told |
//! | ended by | revoking the refresh token | deleting the session |
//!
//! # What is asked when
//!
//! | | when |
//! |---|---|
//! | whether services have changed | each [`poll_interval`](SessionOptions::poll_interval), the second half of which is random |
//! | services, with configurations | when they have; when an unknown one is looked up, at most once a second |
//! | own identity, edge routers | with services, and with each fourth poll |
//! | edge routers of a service | when they are looked up, at most once a minute unless something has changed |
//! | answers to posture queries | with services, when one is different, before one times out, and after each login |
//! | another controller | when the present one does not answer twice in a row |
//!
//! # Guarantees
//!
//! - Tokens, passwords, codes and keys are in no log and no `Debug`.
//! - Whoever waits is told: waiting ends with an answer, with the refusal of the login, or with
//!   [`close`](EdgeSession::close). While no controller can be reached, it goes on: a caller with less patience needs
//!   a timeout.
//! - Memory is bounded by what the controller lists. The task ends with the last handle.
//! - At most three codes are asked for in a login.
//! - An access token that has expired does not end the session: it is renewed as soon as a controller answers, and
//!   only a refusal of that is followed by another login. No renewal is lost by dropping a future.
//!
//! # Limits
//!
//! - Processes, their hashes and MAC addresses are found on Linux; elsewhere, the answers are empty. Processes of other
//!   users are seen only with the right to trace them. Signers of binaries are not looked for.
//! - Another controller is another login: with TOTP, a person is asked again.
//! - Controllers that are not in the identity file are not looked for.
//!
//! # Examples
//!
//! ```no_run
//! use portcullis_domain::policies::ServiceGrant;
//! use portcullis_edge_session::{EdgeIdentity, EdgeSession, SessionOptions};
//!
//! # async fn run(env: portcullis_domain::Env) -> Result<(), Box<dyn std::error::Error>> {
//! let identity = EdgeIdentity::read("laptop.json".as_ref())?;
//! let session = EdgeSession::start(identity, SessionOptions::new(env))?;
//! session.opened().await?;
//! if let Some(printers) = session.service("printers").await? {
//!     let granted = session.service_session(&printers.id, ServiceGrant::Dial).await?;
//!     println!("dialed through {} routers", granted.edge_routers.len());
//! }
//! session.close().await;
//! # Ok(())
//! # }
//! ```

mod code_prompt;
mod controller;
mod edge_router;
mod enroll;
mod environment;
mod error;
mod external_token;
mod failure;
mod identity;
mod login;
mod machine;
mod oidc_tokens;
mod open_session;
mod options;
mod own_identity;
mod posture_schedule;
mod posture_subject;
mod service;
mod service_session;
mod session;
mod shared;
mod state;
mod worker;

pub use code_prompt::{CodeFuture, CodePrompt, CodeQuery};
pub use edge_router::EdgeRouter;
pub use enroll::{EnrollError, enroll};
pub use error::SessionError;
pub use external_token::{ExternalTokenFuture, ExternalTokens};
pub use identity::{EdgeIdentity, RouterCredential};
pub use options::{LoginMethod, LoginProtocol, SessionOptions};
pub use own_identity::OwnIdentity;
pub use portcullis_enrollment::{FieldProblem, IdentityFile, IdentityFileError};
pub use portcullis_pki::KeyType;
pub use secrecy::ExposeSecret;
pub use service::{Service, Services};
pub use service_session::{ServiceSession, ServiceSessionKey};
pub use session::EdgeSession;
pub use state::{ApiSession, SessionKind, SessionState};
