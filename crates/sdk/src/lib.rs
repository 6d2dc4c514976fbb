//! The network for Rust programs: services are dialed and hosted as tokio streams.
//!
//! ```text
//! Context::open --- connect, dial -------> ServiceStream: AsyncRead + AsyncWrite
//!      |      `---- listen, listen_with -> Listener --- accept ------> ServiceStream
//!      |                                          `---- next -> Incoming --- accept, refuse
//!      `- close
//! ```
//!
//! A [`Context`] has joined the network with an identity. It keeps a session at a controller, and a channel to each
//! edge router that it uses, over which all streams travel.
//!
//! # Guarantees
//!
//! - What is written at one end is read at the other, in order and once. A stream that is cut off says so by an
//!   error.
//! - If the service demands it, both ends encrypt with keys of their own for each stream, and nobody between them
//!   can read or change anything. There is no way to fall back from it. The end of a stream is not authenticated:
//!   a router can end it early without an error, so protocols that have to know say themselves where they end.
//! - `shutdown` ends one direction; the other goes on. Dropping a stream closes it after what was written, dropping
//!   a [`Listener`] removes its terminators, dropping the future of a dial takes it back. No future loses anything
//!   by being dropped.
//! - Whoever does not read slows down whoever writes. Memory is bounded: 1 KiB for an idle stream, at worst 28 MiB for one,
//!   and 6 MiB for a router.
//! - Sessions that are lost, tokens that expire, routers and controllers that go and come back, and a computer that
//!   sleeps, end streams at most. Listeners come back by themselves, and dials find their way, as soon as there is
//!   one; channels that have gone silent are noticed within 40 s, and by a dial that is not answered in 5 s.
//! - A login that was refused is not tried again with a password, a token or a code, so that nobody is locked out:
//!   that is for [`EdgeSession::log_in`].
//! - [`Context::close`] waits until every task has ended.
//!
//! # Errors
//!
//! [`DialError::is_temporary`] and [`ListenError::is_temporary`] say whether trying again may help. A dial has then
//! been tried several times already; a listener goes on trying by itself.
//!
//! | Error | Temporary | What to do |
//! |---|---|---|
//! | `NoService`, `NotPermitted` | no | an administrator has to grant the service; or its name is another one |
//! | `NoRouter` | yes | no edge router is online that policies of routers allow |
//! | `Unreachable` | yes, unless the address cannot be used, or another router is there | routers are away, or a firewall is between |
//! | `Failed`, `Ended` by a refusal | by what the router advises | the text says it: no terminators, a posture check, a host that has refused |
//! | `Failed` because of keys | no | the hosting program does not encrypt, and the service demands it |
//! | `TimedOut` | as what the last attempt has met with | – |
//! | `Session` | if no controller is reached, or posture checks do not pass | else the login: see [`SessionError`] |
//! | `Closed` | no | the context was closed |
//!
//! Reading and writing fail with [`io::Error`](std::io::Error); [`ServiceStream::close_reason`] says more:
//!
//! | Kind | Meaning |
//! |---|---|
//! | `BrokenPipe` | written after `shutdown`, or nobody reads any more |
//! | `ConnectionReset` | the circuit is over: the other program, a router or a policy has ended it |
//! | `ConnectionAborted` | the channel to the router is lost, or the context was closed |
//! | `InvalidData` | what has arrived is not what the other end has sent |
//!
//! # Examples
//!
//! ```no_run
//! use portcullis_sdk::{Context, DialOptions};
//! use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let context = Context::open("laptop.json").await?;
//! let mut stream = context
//!     .dial(DialOptions {
//!         app_data: Some("for the printer on the second floor".into()),
//!         ..DialOptions::new("printers")
//!     })
//!     .await?;
//! stream.write_all(b"%!PS").await?;
//! stream.shutdown().await?;
//! let mut report = Vec::new();
//! stream.read_to_end(&mut report).await?;
//! # Ok(())
//! # }
//! ```
//!
//! A login that needs a code of a TOTP app asks whoever is there:
//!
//! ```no_run
//! use portcullis_sdk::{CodeFuture, CodePrompt, CodeQuery, Context, EdgeIdentity};
//!
//! struct Terminal;
//!
//! impl CodePrompt for Terminal {
//!     fn ask(&self, query: CodeQuery) -> CodeFuture<'_> {
//!         Box::pin(async move {
//!             println!("{} Code:", query.refusal.unwrap_or_default());
//!             let reading = tokio::task::spawn_blocking(|| std::io::stdin().lines().next());
//!             let line = reading.await.ok()??.ok()?;
//!             Some(line.into())
//!         })
//!     }
//! }
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let identity = EdgeIdentity::read("laptop.json".as_ref())?;
//! let context = Context::builder(identity).code_prompt(Terminal).open().await?;
//! # Ok(())
//! # }
//! ```

mod channel;
mod connector;
mod context;
mod dial;
mod enrollment;
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
pub use enrollment::enroll;
pub use error::{DialError, ListenError, OpenError};
pub use incoming::{AcceptError, Incoming};
pub use listener::{ListenOptions, Listener};
pub use portcullis_client::{BuildError, ClientError, Url};
pub use portcullis_domain::Env;
pub use portcullis_domain::entropy::EntropyError;
pub use portcullis_domain::identity::Precedence;
pub use portcullis_domain::ids::{IdentityId, RouterId, ServiceId, SessionId};
pub use portcullis_domain::policies::ServiceGrant;
pub use portcullis_edge_session::{
    ApiSession, CodeFuture, CodePrompt, CodeQuery, EdgeIdentity, EdgeRouter, EdgeSession,
    EnrollError, ExposeSecret, ExternalTokenFuture, ExternalTokens, FieldProblem, IdentityFile,
    IdentityFileError, KeyType, LoginMethod, LoginProtocol, OwnIdentity, RouterCredential, Service,
    ServiceSession, ServiceSessionKey, Services, SessionError, SessionKind, SessionOptions,
    SessionState,
};
pub use portcullis_pki::Certificate;
pub use portcullis_sdk_proto::{
    BindEnd, BindError, CloseReason, DialError as NotDialed, DialFailure, Refusal, Retry,
};
pub use portcullis_transport::DialError as HelloError;
pub use portcullis_wire::ErrorCode;
pub use secrecy::SecretString;
pub use stream::{Caller, MAX_MESSAGE, ReadHalf, ServiceStream, WriteHalf};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
