//! The OpenID provider of the Portcullis controller, as protocol logic.

pub mod parameters;
pub mod pkce;
pub mod redirect;
