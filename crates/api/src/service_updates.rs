//! Time of the last change to the services of a client.

use crate::describe::JsonSchema;
use crate::time::WireTime;
use serde::{Deserialize, Serialize};

/// When the services of a client last changed. Clients compare the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceUpdates {
    /// When it last changed.
    pub last_change_at: WireTime,
}
