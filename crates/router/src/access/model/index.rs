//! Ids by something that entities have in common.

use super::entities::Entities;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ids, which entities and indexes share: there may be millions of relations.
pub(super) type Ids = BTreeSet<Arc<str>>;

/// Ids of entities by what they have in common. Copies share them, as [`Entities`] do.
pub(super) type Index = Entities<Ids>;

/// Adds an id. Returns what it is found by, as others share it.
pub(super) fn link(index: &mut Index, by: &str, id: Arc<str>) -> Arc<str> {
    let (by, ids) = index.entry(by);
    ids.insert(id);
    by
}

pub(super) fn unlink(index: &mut Index, by: &str, id: &str) {
    if let Some(ids) = index.get_mut(by) {
        ids.remove(id);
        if ids.is_empty() {
            index.remove(by);
        }
    }
}
