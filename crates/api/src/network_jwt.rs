//! Network JWT, by which clients identify the network of a controller.

use crate::describe::JsonSchema;
use crate::secret;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A token that identifies the network.
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
    /// The only token of a controller.
    pub fn default_network(token: SecretString) -> Self {
        Self {
            name: Cow::Borrowed("default"),
            token,
        }
    }
}
