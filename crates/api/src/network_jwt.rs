//! The token by which clients learn which network a controller belongs to.

use crate::secret;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A token that names the network.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct NetworkJwt {
    /// Its name.
    pub name: Cow<'static, str>,
    /// The token, a compact JWT.
    #[serde(serialize_with = "secret::serialize")]
    #[schemars(with = "String")]
    pub token: SecretString,
}

impl NetworkJwt {
    /// The only one that a controller has.
    pub fn default_network(token: SecretString) -> Self {
        Self {
            name: Cow::Borrowed("default"),
            token,
        }
    }
}
