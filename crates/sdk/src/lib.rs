//! The network for Rust programs.

mod channel;
mod connector;
mod context;
mod dial;
mod error;
mod incoming;
mod listener;
mod posture;
mod randomness;
mod routers;
mod sessions;
mod stream;
mod tcp;
mod tls;

pub use connector::ConnectError;
pub use context::{Context, ContextBuilder};
pub use dial::DialOptions;
pub use error::{DialError, ListenError, OpenError};
pub use incoming::{AcceptError, Incoming};
pub use listener::{ListenOptions, Listener};
pub use portcullis_domain::identity::Precedence;
pub use portcullis_edge_session::{
    ApiSession, CodeFuture, CodePrompt, CodeQuery, EdgeIdentity, EdgeSession, ExternalTokens,
    IdentityFile, IdentityFileError, LoginMethod, LoginProtocol, OwnIdentity, Service, Services,
    SessionError, SessionOptions, SessionState,
};
pub use portcullis_sdk_proto::{BindEnd, CloseReason, DialFailure, Refusal, Retry};
pub use stream::{Caller, MAX_MESSAGE, ReadHalf, ServiceStream, WriteHalf};
