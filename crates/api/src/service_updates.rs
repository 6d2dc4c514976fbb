//! Whether the services that a client may use have changed.

use crate::time::WireTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the list of services of a client last changed. Clients compare the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceUpdates {
    /// When it last changed.
    pub last_change_at: WireTime,
}
