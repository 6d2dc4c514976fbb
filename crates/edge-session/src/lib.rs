//! The API session of a program at the edge of the network.

mod code_prompt;
mod edge_router;
mod error;
mod external_token;
mod identity;
mod options;
mod own_identity;
mod service;
mod service_session;
mod session;
mod state;

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
