//! The number of entities, as an event.

use super::summary::{EDGE_ROUTERS, count};
use crate::app::App;
use crate::event_output::entity_type;
use portcullis_events::EntityCount;
use std::collections::BTreeMap;

/// Counts all entities without reading their records. If that fails, the event says why.
pub fn entity_count(app: &App) -> EntityCount {
    let name = |collection| {
        (collection == EDGE_ROUTERS)
            .then_some(EDGE_ROUTERS)
            .or_else(|| entity_type(collection))
    };
    match count(app) {
        Ok(counts) => EntityCount {
            counts: counts
                .into_iter()
                .filter_map(|(collection, count)| Some((name(collection)?, count)))
                .collect(),
            error: None,
        },
        Err(error) => EntityCount {
            counts: BTreeMap::new(),
            error: Some(error.to_string()),
        },
    }
}
