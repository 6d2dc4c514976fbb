//! The OpenID provider of the Portcullis controller, as protocol logic.

pub mod pkce;
pub mod redirect;
