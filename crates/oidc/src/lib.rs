//! The OpenID provider of the Portcullis controller, as protocol logic.

pub mod authorization;
pub mod client;
pub mod method;
pub mod parameters;
pub mod pkce;
pub mod redirect;
pub mod scope;
