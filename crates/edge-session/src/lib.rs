//! The API session of a program at the edge of the network.

mod code_prompt;
mod controller;
mod edge_router;
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
pub use error::SessionError;
pub use external_token::{ExternalTokenFuture, ExternalTokens};
pub use identity::{EdgeIdentity, RouterCredential};
pub use options::{LoginMethod, LoginProtocol, SessionOptions};
pub use own_identity::OwnIdentity;
pub use portcullis_enrollment::{IdentityFile, IdentityFileError};
pub use service::{Service, Services};
pub use service_session::{ServiceSession, ServiceSessionKey};
pub use session::EdgeSession;
pub use state::{ApiSession, SessionKind, SessionState};
