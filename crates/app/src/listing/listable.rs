//! Kinds of entities that can be listed, and their rows.

use parking_lot::RwLockReadGuard;
use portcullis_domain::change::Owner;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_filter::{Row, Schema, SymbolId, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, CatalogEntry, Projections};
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Entity, Found, IDENTITY, ROUTER, Rows, UniqueIndex};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A kind of entity that can be listed.
///
/// The base symbols (`id`, `name`, times, tags) are handled for every kind.
pub(crate) trait Listable: Entity {
    /// The part that the catalog indexes: the entity itself, or the entity without its secrets.
    type Entry: CatalogEntry;

    const SCHEMA: &'static Schema;

    /// Kinds of the root records that it is stored under; its own kind if it is a root.
    const ROOT_KINDS: &'static [Kind];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self::Entry>>;

    fn entry(&self) -> &Self::Entry;

    fn tags(&self) -> &Tags;

    /// The value of a symbol that is specific to the kind.
    fn value(&self, symbol: &str) -> Value<'_>;

    /// The value of a symbol for which another entity has to be read.
    fn related_value(&self, context: RowContext<'_>, symbol: &str) -> Value<'static> {
        let _ = (context, symbol);
        Value::Missing
    }

    /// Whether the controller owns the entity.
    fn is_system(&self) -> bool {
        false
    }

    /// Visits the elements of a set of texts, or the ids of a set of references.
    fn elements(
        &self,
        context: RowContext<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let _ = (context, set, visit);
        ControlFlow::Continue(())
    }

    /// Visits the entities of a set of references.
    fn referenced(
        &self,
        context: RowContext<'_>,
        set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        let _ = (context, set, visit);
        ControlFlow::Continue(())
    }

    /// The unique index by which the store finds an entity with a value of `symbol`.
    fn unique_index(symbol: &str) -> Option<UniqueIndex> {
        let _ = symbol;
        None
    }
}

/// A kind whose catalog is part of [`AccessGuard`]: policies, and the entities that they select.
pub(crate) trait PolicyRelated: Listable {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self::Entry>;
}

/// Access to other records and catalogs, since filters may look into what a record refers to.
#[derive(Clone, Copy)]
pub(crate) struct RowContext<'a> {
    pub(crate) rows: Rows<'a>,
    pub(crate) projections: &'a Projections,
    /// Whether the client no longer waits; a record can refer to many others.
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

/// A record as a row, for filters and orders that no column answers.
pub(crate) struct RecordRow<'e, E> {
    pub(crate) entity: &'e E,
    pub(crate) context: RowContext<'e>,
}

impl<E: Listable> Row for RecordRow<'_, E> {
    fn value(&self, symbol: SymbolId) -> Value<'_> {
        let entry = self.entity.entry();
        match symbol.name() {
            "id" => text_value(entry.id()),
            "createdAt" => Value::Datetime(entry.created_at()),
            "updatedAt" => Value::Datetime(entry.updated_at()),
            "isSystem" => Value::Boolean(self.entity.is_system()),
            "name" => entry.name().map_or(Value::Missing, text_value),
            symbol => match self.entity.value(symbol) {
                Value::Missing => self.entity.related_value(self.context, symbol),
                value => value,
            },
        }
    }

    fn entry(&self, _map: SymbolId, key: &str) -> Value<'_> {
        tag_value(self.entity.tags(), key)
    }

    fn elements(&self, set: SymbolId, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        self.entity.elements(self.context, set.name(), visit)
    }

    fn referenced(&self, set: SymbolId, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        self.entity.referenced(self.context, set.name(), visit)
    }
}

/// Compact location of a record, for lists of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordLocation {
    root: (Kind, u64),
    number: u64,
}

impl RecordLocation {
    pub(crate) fn from_found<E>(found: &Found<E>) -> Self {
        Self {
            root: found.key.root_id(),
            number: found.number().0,
        }
    }

    /// The location of the record with a number; `None` if the catalog does not have it.
    pub(crate) fn find_in_catalog<E: Listable>(
        catalog: &Catalog<E::Entry>,
        number: RecordNumber,
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

    pub(crate) fn number(self) -> RecordNumber {
        RecordNumber(self.number)
    }

    pub(crate) fn key<E: Listable>(self) -> RecordKey {
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
pub(crate) fn text_value(text: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(text))
}

/// A tag as a value.
fn tag_value<'t>(tags: &'t Tags, key: &str) -> Value<'t> {
    match tags.get(key) {
        None | Some(TagValue::Null) => Value::Missing,
        Some(TagValue::Bool(value)) => Value::Boolean(*value),
        Some(TagValue::Text(value)) => text_value(value),
        Some(TagValue::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Value::Integer(integer),
            (None, Some(float)) => Value::Float(float),
            (None, None) => Value::Missing,
        },
    }
}

/// A copy of the value that borrows nothing.
pub(crate) fn into_owned_value(value: Value<'_>) -> Value<'static> {
    match value {
        Value::Missing => Value::Missing,
        Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
        Value::Integer(value) => Value::Integer(value),
        Value::Float(value) => Value::Float(value),
        Value::Boolean(value) => Value::Boolean(value),
        Value::Datetime(value) => Value::Datetime(value),
    }
}
