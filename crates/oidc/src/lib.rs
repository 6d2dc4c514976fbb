//! The OpenID provider of the Portcullis controller, as protocol logic.

pub mod algorithm;
pub mod amr;
pub mod authorization;
pub mod claims;
pub mod client;
pub mod discovery;
pub mod issuer;
pub mod jwks;
pub mod login;
pub mod method;
pub mod parameters;
pub mod pkce;
pub mod redirect;
pub mod refresh;
pub mod scope;
mod secret;
#[cfg(test)]
mod testing;
pub mod token_request;
