//! What a kind of entity says of itself to have a list.

use portcullis_domain::change::Owner;
use portcullis_domain::ids::Number;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_filter::{Row, Schema, SymbolId, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, Catalogued, Projections};
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Entity, Found, IDENTITY, Index, ROUTER, Rows};
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

    /// The kinds of the records that it lives under; its own if it is a root.
    const ROOTS: &'static [Kind];

    /// Its catalog.
    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self::Entry>>;

    /// What the catalog has of it.
    fn entry(&self) -> &Self::Entry;

    /// What users attached to it.
    fn tags(&self) -> &Tags;

    /// What stands under a symbol of its own.
    fn value(&self, symbol: &str) -> Value<'_>;

    /// What stands under a symbol of its own that something else has to be read for.
    fn related(&self, around: Around<'_>, symbol: &str) -> Value<'static> {
        let _ = (around, symbol);
        Value::Missing
    }

    /// Whether it belongs to the controller.
    fn is_system(&self) -> bool {
        false
    }

    /// Shows the elements of a set of texts, or the ids of a set of references.
    fn elements(
        &self,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let _ = (around, set, visit);
        ControlFlow::Continue(())
    }

    /// Shows the entities of a set of references.
    fn referenced(
        &self,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        let _ = (around, set, visit);
        ControlFlow::Continue(())
    }

    /// The unique values by which the store finds one of them at once.
    fn index(symbol: &str) -> Option<Index> {
        let _ = symbol;
        None
    }
}

/// A kind whose catalog is locked together with access: policies, and what they select.
pub(crate) trait Ruled: Listed {
    /// Its catalog.
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self::Entry>;
}

/// What a record stands among: filters may ask for what it refers to.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    /// The records.
    pub(crate) rows: Rows<'a>,
    /// The read model.
    pub(crate) projections: &'a Projections,
    /// Whether nobody waits any more: what a record refers to can be many records.
    pub(crate) is_over: &'a dyn Fn() -> bool,
}

/// A record as a row: what filters and orders look at where no column answers.
pub(crate) struct Record<'e, E> {
    /// The record.
    pub(crate) entity: &'e E,
    /// What it stands among.
    pub(crate) around: Around<'e>,
}

impl<E: Listed> Row for Record<'_, E> {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let entry = self.entity.entry();
        match symbol.name() {
            "id" => text(entry.id()),
            "createdAt" => Value::Datetime(entry.created_at()),
            "updatedAt" => Value::Datetime(entry.updated_at()),
            "isSystem" => Value::Boolean(self.entity.is_system()),
            "name" => entry.name().map_or(Value::Missing, text),
            symbol => match self.entity.value(symbol) {
                Value::Missing => self.entity.related(self.around, symbol),
                value => value,
            },
        }
    }

    fn entry(&self, _map: SymbolId, key: &str) -> Value<'_> {
        tag(self.entity.tags(), key)
    }

    fn elements(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.entity.elements(self.around, set.name(), visit)
    }

    fn referenced(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        self.entity.referenced(self.around, set.name(), visit)
    }
}

/// Where a record lies, in the little space that a long list can afford.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    root: (Kind, u64),
    number: u64,
}

impl Place {
    /// The place of a record that was found.
    pub(crate) fn of<E>(found: &Found<E>) -> Self {
        Self {
            root: found.key.root_id(),
            number: found.number().0,
        }
    }

    /// The place of what a catalog has under a number; `None` if that is gone.
    pub(crate) fn in_catalog<E: Listed>(
        catalog: &Catalog<E::Entry>,
        number: Number,
    ) -> Option<Self> {
        let slot = catalog.slot(number)?;
        let root = match catalog.owner(slot) {
            None => (E::KIND, number.0),
            Some(Owner::Identity(owner)) => (IDENTITY, owner.0),
            Some(Owner::Router(owner)) => (ROUTER, owner.0),
        };
        Some(Self {
            root,
            number: number.0,
        })
    }

    /// Number of the record.
    pub(crate) fn number(self) -> Number {
        Number(self.number)
    }

    /// The key of the record.
    pub(crate) fn key<E: Listed>(self) -> RecordKey {
        let (kind, number) = self.root;
        let root = RecordKey::root(kind, number);
        if kind == E::KIND {
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

/// The same value, with a text of its own.
pub(crate) fn owned(value: Value<'_>) -> Value<'static> {
    match value {
        Value::Missing => Value::Missing,
        Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
        Value::Integer(value) => Value::Integer(value),
        Value::Float(value) => Value::Float(value),
        Value::Boolean(value) => Value::Boolean(value),
        Value::Datetime(value) => Value::Datetime(value),
    }
}
