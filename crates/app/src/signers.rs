//! External JWT signers, their keys and tokens.

mod bearer;
mod change;
mod list;
mod rank;

pub use crate::state::{KeySetError, KeySetFetcher, KeySetFuture, SignerKeys};
pub use bearer::{AcceptedSigner, BearerTokenError, BearerTokens, TokenChallenge};
pub(crate) use bearer::{find_issuer, parse_token, verify_token};
pub use change::{create, patch, replace};
pub use list::{PUBLIC_EXTERNAL_JWT_SIGNERS, list_enabled};
