//! States of stored entities.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

/// An entity before or after a change, if there is one. It is made by whoever reads it first: who notices a change has no
/// time for that, and it may be that nobody reads it. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct EntityState(Option<Arc<LazyEntity>>);

#[derive(Debug)]
struct LazyEntity {
    entity: LazyLock<StoredEntity, Box<dyn FnOnce() -> StoredEntity + Send>>,
    size: usize,
}

impl EntityState {
    /// An entity that `make` makes, which takes about `size` bytes of memory: itself, or what it is made of until then.
    pub fn new(size: usize, make: impl FnOnce() -> StoredEntity + Send + 'static) -> Self {
        let entity = LazyLock::new(Box::new(make) as _);
        Self(Some(Arc::new(LazyEntity { entity, size })))
    }

    pub(super) fn size(&self) -> usize {
        self.0.as_ref().map_or(0, |state| state.size)
    }
}

impl Serialize for EntityState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(state) => LazyLock::force(&state.entity).serialize(serializer),
            None => serializer.serialize_none(),
        }
    }
}

/// An entity as it is stored: its members in the order in which they are told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StoredEntity(pub Vec<(Cow<'static, str>, Value)>);

impl From<Map<String, Value>> for StoredEntity {
    fn from(members: Map<String, Value>) -> Self {
        let members = members.into_iter();
        Self(members.map(|(name, value)| (name.into(), value)).collect())
    }
}

impl Serialize for StoredEntity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn entity_is_made_once_when_it_is_read() {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let state = EntityState::new(7, || {
            MADE.fetch_add(1, Ordering::Relaxed);
            StoredEntity(vec![("id".into(), "<id>".into())])
        });
        let other = state.clone();
        assert_eq!((state.size(), MADE.load(Ordering::Relaxed)), (7, 0));
        for state in [state, other] {
            assert_eq!(serde_json::to_string(&state).unwrap(), r#"{"id":"<id>"}"#);
        }
        assert_eq!(MADE.load(Ordering::Relaxed), 1);
        let none = EntityState::default();
        assert_eq!(serde_json::to_string(&none).unwrap(), "null");
    }
}
