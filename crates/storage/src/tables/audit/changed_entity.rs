//! Entities on their way to those who follow changes, before anything is left out.

use super::disclosed::disclose_record;
use crate::key::Kind;
use crate::tables::kind;
use portcullis_domain::change::{Change, EntityChange};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::sync::Arc;

/// Whether an entity is meant as it was before a change, or as it is after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeSide {
    Before,
    After,
}

/// A whole entity, secrets included; only what [`disclose`](Self::disclose) returns may be told. Clones are handles of the
/// same entity, which stays in memory with the last of them: while a sink of events is stuck, so does what was deleted.
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
        let mut written = ByteCount::default();
        let mut serializer = Serializer::with_formatter(&mut written, PaddedFormatter);
        // What cannot be written is told as nothing.
        let _ = E::serialize(&self.entity, &mut serializer);
        written.0
    }
}

/// What a value takes in memory beside its text, and the name of a member beside the name itself, in bytes.
const OVERHEAD: usize = 32;

/// Writes JSON that is about as long as what it says is large in memory: before each value and each name there are blanks.
struct PaddedFormatter;

impl PaddedFormatter {
    fn pad<W: ?Sized + Write>(writer: &mut W) -> io::Result<()> {
        writer.write_all(&[b' '; OVERHEAD])
    }
}

impl Formatter for PaddedFormatter {
    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        CompactFormatter.begin_array_value(writer, first)?;
        Self::pad(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        CompactFormatter.begin_object_key(writer, first)?;
        Self::pad(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        CompactFormatter.begin_object_value(writer)?;
        Self::pad(writer)
    }
}

/// How many bytes are written.
#[derive(Default)]
struct ByteCount(usize);

impl Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
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
        for character in ["x", ",", "{"] {
            let text = |len: usize| json!({"data": character.repeat(len)});
            assert_eq!(size(text(1000)) - size(text(0)), 1000, "{character}");
        }
        let list = |len: usize| json!({"data": vec![0; len]});
        assert_eq!(size(list(1001)) - size(list(1)), 1000 * (OVERHEAD + 2));
        let member = size(json!({"a": 1, "b": 2})) - size(json!({"a": 1}));
        assert_eq!(member, OVERHEAD * 2 + r#","b":2"#.len());
    }
}
