//! The entities of one kind.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Entities by id, of which copies cost nothing: they share everything. What is changed while there is another
/// copy has the pointers of its kind copied first, but no entity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entities<T>(Arc<BTreeMap<Arc<str>, Arc<T>>>);

impl<T> Default for Entities<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Entities<T> {
    pub(super) fn get(&self, id: &str) -> Option<&T> {
        self.shared(id).map(Arc::as_ref)
    }

    pub(super) fn shared(&self, id: &str) -> Option<&Arc<T>> {
        self.0.get(id)
    }

    pub(super) fn all_shared(&self) -> impl Iterator<Item = &Arc<T>> {
        self.0.values()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.values().map(Arc::as_ref)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(id, entity)| (&**id, &**entity))
    }

    pub(super) fn put(&mut self, id: impl Into<Arc<str>>, entity: T) {
        Arc::make_mut(&mut self.0).insert(id.into(), Arc::new(entity));
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<Arc<T>> {
        if self.0.contains_key(id) {
            Arc::make_mut(&mut self.0).remove(id)
        } else {
            None
        }
    }
}

impl<T: Clone + Default> Entities<T> {
    /// An entity to change, made first if there is none, and its id as others share it.
    pub(super) fn entry(&mut self, id: &str) -> (Arc<str>, &mut T) {
        let entities = Arc::make_mut(&mut self.0);
        let known = entities.get_key_value(id);
        let id = known.map_or_else(|| id.into(), |(id, _)| Arc::clone(id));
        let entity = entities.entry(Arc::clone(&id)).or_default();
        (id, Arc::make_mut(entity))
    }
}

impl<T: Clone> Entities<T> {
    /// To change an entity, which is copied first if there is another copy of it.
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        if !self.0.contains_key(id) {
            return None;
        }
        let entity = Arc::make_mut(&mut self.0).get_mut(id)?;
        Some(Arc::make_mut(entity))
    }
}
