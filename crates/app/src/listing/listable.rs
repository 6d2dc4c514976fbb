//! Kinds of entities that can be listed, and their rows.

use crate::error::AppError;
use crate::live_network::LiveNetwork;
use parking_lot::RwLockReadGuard;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_filter::{EntitySymbol, OwnSymbols, Row, Schema, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, CatalogEntry, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{Entity, Rows, UniqueIndex};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// A kind of entity that can be listed.
///
/// The symbols that `Schema::entity` includes (`id`, times, tags) are handled for every kind.
pub(crate) trait Listable: Entity {
    /// The part that the catalog indexes: the entity itself, or the entity without its secrets.
    type Entry: CatalogEntry;

    /// The symbols that [`Schema::entity`] does not include; [`SCHEMA`](Self::SCHEMA) and the schemas of
    /// other lists of the kind are made of them.
    type Symbol: OwnSymbols;

    const SCHEMA: &'static Schema;

    /// Kinds of the root records that it is stored under; its own kind if it is a root.
    const ROOT_KINDS: &'static [Kind];

    /// Whether there may be few of them among very many records of their roots, so that reading
    /// each by its key costs less than a scan of these.
    const IS_SPARSE: bool = false;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self::Entry>>;

    fn entry(&self) -> &Self::Entry;

    fn tags(&self) -> &Tags;

    /// The value of a symbol that is specific to the kind.
    fn value(&self, symbol: Self::Symbol) -> Value<'_>;

    /// The value of a symbol for which another entity has to be read, or the network be asked.
    fn related_value(&self, context: RowContext<'_>, symbol: Self::Symbol) -> Value<'static> {
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
        set: Self::Symbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let _ = (context, set, visit);
        ControlFlow::Continue(())
    }

    /// Visits the entities of a set of references.
    fn referenced(
        &self,
        context: RowContext<'_>,
        set: Self::Symbol,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        let _ = (context, set, visit);
        ControlFlow::Continue(())
    }

    /// The unique index by which the store finds an entity with a value of `symbol`.
    fn unique_index(symbol: Self::Symbol) -> Option<UniqueIndex> {
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
    pub(crate) network: &'a dyn LiveNetwork,
    /// Whether the client no longer waits; a record can refer to many others.
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

impl RowContext<'_> {
    /// # Errors
    ///
    /// [`AppError::TimedOut`] when the client no longer waits.
    pub(super) fn check_cancelled(&self) -> Result<(), AppError> {
        if (self.is_cancelled)() {
            Err(AppError::TimedOut)
        } else {
            Ok(())
        }
    }
}

/// A record as a row, for filters and orders that no column answers.
pub(crate) struct RecordRow<'e, E> {
    pub(crate) entity: &'e E,
    pub(crate) context: RowContext<'e>,
}

impl<'e, E> RecordRow<'e, E> {
    pub(crate) const fn new(entity: &'e E, context: RowContext<'e>) -> Self {
        Self { entity, context }
    }
}

impl<E: Listable> Row for RecordRow<'_, E> {
    type Symbol = EntitySymbol<E::Symbol>;

    fn value(&self, symbol: Self::Symbol) -> Value<'_> {
        let entry = self.entity.entry();
        match symbol {
            EntitySymbol::Id => text_value(entry.id()),
            EntitySymbol::CreatedAt => Value::Datetime(entry.created_at()),
            EntitySymbol::UpdatedAt => Value::Datetime(entry.updated_at()),
            EntitySymbol::IsSystem => Value::Boolean(self.entity.is_system()),
            EntitySymbol::Tags => Value::Missing,
            EntitySymbol::Own(symbol) => match self.entity.value(symbol) {
                Value::Missing => self.entity.related_value(self.context, symbol),
                value => value,
            },
        }
    }

    fn entry(&self, _map: Self::Symbol, key: &str) -> Value<'_> {
        tag_value(self.entity.tags(), key)
    }

    fn elements(&self, set: Self::Symbol, visit: &mut VisitElement<'_>) -> ControlFlow<()> {
        match set {
            EntitySymbol::Own(set) => self.entity.elements(self.context, set, visit),
            _ => ControlFlow::Continue(()),
        }
    }

    fn referenced(&self, set: Self::Symbol, visit: &mut VisitRow<'_>) -> ControlFlow<()> {
        match set {
            EntitySymbol::Own(set) => self.entity.referenced(self.context, set, visit),
            _ => ControlFlow::Continue(()),
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
