//! Alerts of routers.

use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A router says that something is wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Alert {
    /// `router`.
    #[serde(rename = "alert_source_type")]
    pub source_type: Arc<str>,
    #[serde(rename = "alert_source_id")]
    pub source_id: Arc<str>,
    pub severity: Arc<str>,
    pub message: Arc<str>,
    pub details: Option<Vec<String>>,
    /// Ids by type, such as `service`.
    pub related_entities: BTreeMap<String, String>,
}

impl Alert {
    pub(super) fn size(&self) -> usize {
        let details = self.details.iter().flatten();
        let entities = self.related_entities.iter();
        self.message.len()
            + details.map(String::len).sum::<usize>()
            + entities
                .map(|(kind, id)| kind.len() + id.len())
                .sum::<usize>()
    }
}
