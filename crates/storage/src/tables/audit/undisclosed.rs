//! Entities on their way to those who follow changes, before anything is left out.

use super::disclosed::disclose_record;
use crate::key::Kind;
use crate::tables::kind;
use portcullis_domain::change::{Change, EntityChange};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::sync::Arc;

/// Whether an entity is meant as it was before a change, or as it is after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSide {
    Before,
    After,
}

/// An entity with all that it has, secrets too, of which is told what [`disclose`](Self::disclose) makes of it. Clones are
/// handles of the same entity.
#[derive(Clone)]
pub struct UndisclosedEntity(Arc<dyn Disclose>);

impl UndisclosedEntity {
    /// What may be told of it, by the names of the API.
    pub fn disclose(&self) -> Value {
        self.0.disclose()
    }

    /// About how many bytes it takes in memory, and what is told of it at most.
    pub fn size(&self) -> usize {
        self.0.size()
    }
}

macro_rules! entities {
    ($({
        #[doc = $doc:literal]
        kind: $kind:ident = $byte:literal,
        entity: $entity:ident $path:tt,
        id: $id:ident $shape:tt,
        spec: $spec:tt,
        collection: $collection:literal,
        $($rest:tt)*
    })+) => {
        /// The collection on the APIs that the changed entity is in; `None` for [`Change::Transaction`].
        pub fn collection_of(change: &Change) -> Option<&'static str> {
            match change {
                $(Change::$entity(_) => Some($collection),)+
                Change::Transaction(_) => None,
            }
        }

        /// The entity on one side of a change; `None` where it does not exist, and for [`Change::Transaction`].
        pub fn entity_of(change: &Change, side: ChangeSide) -> Option<UndisclosedEntity> {
            match change {
                $(Change::$entity(change) => one_side(kind::$kind, change, side),)+
                Change::Transaction(_) => None,
            }
        }
    };
}

portcullis_domain::for_each_kind!(entities);

fn one_side<E: Serialize + Send + Sync + 'static>(
    kind: Kind,
    change: &EntityChange<E>,
    side: ChangeSide,
) -> Option<UndisclosedEntity> {
    let entity = match side {
        ChangeSide::Before => &change.before,
        ChangeSide::After => &change.entity,
    };
    let entity = Arc::clone(entity.as_ref()?);
    Some(UndisclosedEntity(Arc::new(EntityOfKind { kind, entity })))
}

trait Disclose: Send + Sync {
    fn disclose(&self) -> Value;
    fn size(&self) -> usize;
}

struct EntityOfKind<E> {
    kind: Kind,
    entity: Arc<E>,
}

impl<E: Serialize + Send + Sync> Disclose for EntityOfKind<E> {
    fn disclose(&self) -> Value {
        // An entity that is no object has nothing that may be told.
        Value::Object(match serde_json::to_value(&*self.entity) {
            Ok(Value::Object(stored)) => disclose_record(self.kind, stored),
            _ => Map::new(),
        })
    }

    fn size(&self) -> usize {
        let mut size = MemorySize::default();
        // What cannot be written is told as nothing.
        let _ = serde_json::to_writer(&mut size, &*self.entity);
        size.0
    }
}

/// What a value takes in memory beside its text, and the name of a member beside the name itself, in bytes.
const OVERHEAD: usize = 32;

/// About how many bytes something takes in memory of which the JSON is written: each value and each name begins after one
/// of these characters.
#[derive(Default)]
struct MemorySize(usize);

impl Write for MemorySize {
    fn write(&mut self, json: &[u8]) -> io::Result<usize> {
        let starts = json
            .iter()
            .filter(|byte| matches!(byte, b'{' | b'[' | b',' | b':'));
        self.0 += json.len() + OVERHEAD * starts.count();
        Ok(json.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn size_counts_texts_values_and_names() {
        let size = |value: Value| {
            let kind = kind::CONFIG;
            let entity = Arc::new(value);
            EntityOfKind { kind, entity }.size()
        };
        let text = |len: usize| json!({"data": "x".repeat(len)});
        assert_eq!(size(text(1000)) - size(text(0)), 1000);
        let list = |len: usize| json!({"data": vec![0; len]});
        assert_eq!(size(list(1001)) - size(list(1)), 1000 * (OVERHEAD + 2));
        let member = size(json!({"a": 1, "b": 2})) - size(json!({"a": 1}));
        assert_eq!(member, OVERHEAD * 2 + r#","b":2"#.len());
    }
}
