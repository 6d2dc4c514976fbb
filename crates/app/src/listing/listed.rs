//! What a kind of entity says of itself to have a list.

use portcullis_domain::ids::Number;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_filter::{Row, Schema, SymbolId, Value, VisitElement};
use portcullis_index::{Catalog, Catalogued, Projections};
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Entity, Found, Index};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::RwLockReadGuard;

/// A kind whose entities can be listed: what is declared here is all that its list needs.
///
/// The base symbols (`id`, `name`, times, tags) are answered for every kind.
pub(crate) trait Listed: Entity {
    /// What the catalog has of it: the entity itself, or the part without secrets.
    type Entry: Catalogued;

    /// Its symbols.
    const SCHEMA: &'static Schema;

    /// The kind of the records that it lives under; its own if it is a root.
    const ROOT: Kind;

    /// Its catalog.
    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self::Entry>>;

    /// What the catalog has of it.
    fn entry(&self) -> &Self::Entry;

    /// What users attached to it.
    fn tags(&self) -> &Tags;

    /// What stands under a symbol of its own.
    fn value(&self, symbol: &str) -> Value<'_>;

    /// Shows the elements of its only set of texts, if it has one.
    fn elements(&self, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        let _ = visit;
        ControlFlow::Continue(())
    }

    /// The unique values by which the store finds one of them at once.
    fn index(symbol: &str) -> Option<Index> {
        let _ = symbol;
        None
    }
}

/// A record as a row: what filters and orders look at where no column answers.
pub(crate) struct Record<'e, E>(pub(crate) &'e E);

impl<E: Listed> Row for Record<'_, E> {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let entry = self.0.entry();
        match symbol.name() {
            "id" => text(entry.id()),
            "createdAt" => Value::Datetime(entry.created_at()),
            "updatedAt" => Value::Datetime(entry.updated_at()),
            "isSystem" => Value::Boolean(false),
            "name" => entry.name().map_or(Value::Missing, text),
            symbol => self.0.value(symbol),
        }
    }

    fn entry(&self, _map: SymbolId, key: &str) -> Value<'_> {
        tag(self.0.tags(), key)
    }

    fn elements(&self, _set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.0.elements(visit)
    }
}

/// Where a record lies, in the little space that a long list can afford.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    root: u64,
    number: u64,
}

impl Place {
    /// The place of a record that was found.
    pub(crate) fn of<E>(found: &Found<E>) -> Self {
        Self {
            root: found.root_number().0,
            number: found.number().0,
        }
    }

    /// The place of what a catalog has under a number; `None` if that is gone.
    pub(crate) fn in_catalog<E: Listed>(
        catalog: &Catalog<E::Entry>,
        number: Number,
    ) -> Option<Self> {
        let slot = catalog.slot(number)?;
        let root = if E::KIND == E::ROOT {
            number
        } else {
            catalog.owner(slot)?
        };
        Some(Self {
            root: root.0,
            number: number.0,
        })
    }

    /// Number of the record.
    pub(crate) fn number(self) -> Number {
        Number(self.number)
    }

    /// The key of the record.
    pub(crate) fn key<E: Listed>(self) -> RecordKey {
        let root = RecordKey::root(E::ROOT, self.root);
        if E::KIND == E::ROOT {
            root
        } else {
            root.dependent(E::KIND, self.number)
        }
    }
}

/// A text as a value.
pub(crate) fn text(text: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(text))
}

/// A tag as a value.
fn tag<'t>(tags: &'t Tags, key: &str) -> Value<'t> {
    match tags.get(key) {
        None | Some(TagValue::Null) => Value::Missing,
        Some(TagValue::Bool(value)) => Value::Boolean(*value),
        Some(TagValue::Text(value)) => text(value),
        Some(TagValue::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) => Value::Float(float),
            (None, None) => Value::Missing,
        },
    }
}
