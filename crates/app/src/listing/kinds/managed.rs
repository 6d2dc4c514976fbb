//! Lists of managed kinds.

mod configs;
mod policies;
mod routers;
mod services;
mod terminators;

pub use configs::{CONFIG_TYPES, CONFIGS};
pub use policies::{EDGE_ROUTER_POLICIES, SERVICE_EDGE_ROUTER_POLICIES, SERVICE_POLICIES};
pub use routers::{CLIENT_EDGE_ROUTERS, EDGE_ROUTERS, TRANSIT_ROUTERS};
pub use services::SERVICES;
pub use terminators::TERMINATORS;

use crate::listing::listable::{Listable, PolicyRelated, RecordRow, RowContext, into_owned_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::managed::Managed;
use portcullis_domain::tags::Tags;
use portcullis_filter::{OwnSymbols, Schema, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IndexedId, StoredSpec, UniqueIndex, reference};
use std::ops::ControlFlow;

/// The spec of a managed kind that can be listed.
pub(crate) trait ListableSpec: StoredSpec + portcullis_index::CatalogSpec {
    /// The symbols that `Schema::entity` does not include, as `symbols!` declares them.
    type Symbol: OwnSymbols;

    /// The symbols that lists of the kind know, by `Schema::entity`: also `id`, `createdAt`,
    /// `updatedAt`, `tags` and `isSystem`.
    const SCHEMA: &'static Schema;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Managed<Self::Id, Self>>>;

    fn tags(&self) -> &Tags;

    /// The value of a symbol that is specific to the kind.
    fn value(&self, symbol: Self::Symbol) -> Value<'_>;

    /// The value of a symbol for which another entity has to be read, or the network be asked.
    fn related_value(
        entity: &Managed<Self::Id, Self>,
        context: RowContext<'_>,
        symbol: Self::Symbol,
    ) -> Value<'static> {
        let _ = (entity, context, symbol);
        Value::Missing
    }

    /// Whether the controller owns the entity.
    fn is_system(entity: &Managed<Self::Id, Self>) -> bool {
        let _ = entity;
        false
    }

    /// Visits the elements of a set of texts, or the ids of a set of references.
    fn elements(
        entity: &Managed<Self::Id, Self>,
        context: RowContext<'_>,
        set: Self::Symbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let _ = (entity, context, set, visit);
        ControlFlow::Continue(())
    }

    /// Visits the entities of a set of references.
    fn referenced(
        entity: &Managed<Self::Id, Self>,
        context: RowContext<'_>,
        set: Self::Symbol,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        let _ = (entity, context, set, visit);
        ControlFlow::Continue(())
    }

    /// The unique index by which the store finds an entity with a value of `symbol`.
    fn unique_index(symbol: Self::Symbol) -> Option<UniqueIndex> {
        let _ = symbol;
        None
    }
}

/// The spec of a managed kind whose catalog is part of [`AccessGuard`].
pub(crate) trait PolicyRelatedSpec: ListableSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Managed<Self::Id, Self>>;
}

impl<I: IndexedId, S: PolicyRelatedSpec<Id = I>> PolicyRelated for Managed<I, S> {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        S::catalog_with_access(guard)
    }
}

impl<I: IndexedId, S: ListableSpec<Id = I>> Listable for Managed<I, S> {
    type Entry = Self;
    type Symbol = S::Symbol;
    const SCHEMA: &'static Schema = S::SCHEMA;
    const ROOT_KINDS: &'static [Kind] = &[S::KIND];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        S::catalog(projections)
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        self.spec.tags()
    }

    fn value(&self, symbol: S::Symbol) -> Value<'_> {
        self.spec.value(symbol)
    }

    fn related_value(&self, context: RowContext<'_>, symbol: S::Symbol) -> Value<'static> {
        S::related_value(self, context, symbol)
    }

    fn is_system(&self) -> bool {
        S::is_system(self)
    }

    fn elements(
        &self,
        context: RowContext<'_>,
        set: S::Symbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        S::elements(self, context, set, visit)
    }

    fn referenced(
        &self,
        context: RowContext<'_>,
        set: S::Symbol,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        S::referenced(self, context, set, visit)
    }

    fn unique_index(symbol: S::Symbol) -> Option<UniqueIndex> {
        S::unique_index(symbol)
    }
}

/// A value of another entity; missing if that cannot be read.
fn value_of_other<E: Listable, I: IndexedId>(
    context: RowContext<'_>,
    id: &I,
    value: impl FnOnce(&E) -> Value<'_>,
) -> Value<'static> {
    match context.rows.find::<E>(&reference(id)) {
        Ok(Some(found)) => into_owned_value(value(&found.entity)),
        Ok(None) | Err(_) => Value::Missing,
    }
}

/// Visits the entities with the given ids that exist. A damaged one is skipped here; its own list
/// reports it.
fn visit_by_ids<'i, E: Listable, I: IndexedId + 'i>(
    context: RowContext<'_>,
    ids: impl IntoIterator<Item = &'i I>,
    visit: &mut VisitRow<'_>,
) -> ControlFlow<()> {
    ids.into_iter()
        .try_for_each(|id| match context.rows.find::<E>(&reference(id)) {
            Ok(Some(found)) => visit(&RecordRow::new(&found.entity, context)),
            Ok(None) | Err(_) => ControlFlow::Continue(()),
        })
}
