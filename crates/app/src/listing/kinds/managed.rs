//! The lists of what administrators make.

mod configs;
mod policies;
mod posture_checks;
mod revocations;
mod routers;
mod services;
mod terminators;

pub use configs::{CONFIG_TYPES, CONFIGS};
pub use policies::{EDGE_ROUTER_POLICIES, SERVICE_EDGE_ROUTER_POLICIES, SERVICE_POLICIES};
pub use posture_checks::POSTURE_CHECKS;
pub use revocations::REVOCATIONS;
pub use routers::{EDGE_ROUTERS, SHOWN_EDGE_ROUTERS, TRANSIT_ROUTERS};
pub use services::SERVICES;
pub use terminators::TERMINATORS;

use crate::listing::listed::{Around, Listed, Record, Ruled, owned};
use portcullis_domain::managed::Managed;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IndexedId, Kept, UniqueValue};
use std::ops::ControlFlow;
use std::sync::RwLockReadGuard;

/// What administrators decide about a kind of entity that can be listed.
pub(crate) trait ListedSpec: Kept + portcullis_index::Described {
    /// Its symbols.
    const SCHEMA: &'static Schema;

    /// Its catalog.
    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Managed<Self::Id, Self>>>;

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
        entity: &Managed<Self::Id, Self>,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let _ = (entity, around, set, visit);
        ControlFlow::Continue(())
    }

    /// Shows the entities of a set of references.
    fn referenced(
        entity: &Managed<Self::Id, Self>,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        let _ = (entity, around, set, visit);
        ControlFlow::Continue(())
    }
}

/// What administrators decide about a kind whose catalog is locked together with access.
pub(crate) trait RuledSpec: ListedSpec {
    /// Its catalog.
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Managed<Self::Id, Self>>;
}

impl<I: IndexedId, S: RuledSpec<Id = I>> Ruled for Managed<I, S> {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        S::catalog_with_access(guard)
    }
}

impl<I: IndexedId, S: ListedSpec<Id = I>> Listed for Managed<I, S> {
    type Entry = Self;
    const SCHEMA: &'static Schema = S::SCHEMA;
    const ROOTS: &'static [Kind] = &[S::KIND];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        S::catalog(projections)
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        self.spec.tags()
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        self.spec.value(symbol)
    }

    fn related(&self, around: Around<'_>, symbol: &str) -> Value<'static> {
        self.spec.related(around, symbol)
    }

    fn is_system(&self) -> bool {
        self.spec.is_system()
    }

    fn elements(
        &self,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        S::elements(self, around, set, visit)
    }

    fn referenced(
        &self,
        around: Around<'_>,
        set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        S::referenced(self, around, set, visit)
    }
}

/// What stands under a symbol of another entity, if that can be read.
fn of_other<E: Listed, I: IndexedId>(
    around: Around<'_>,
    id: &I,
    value: impl FnOnce(&E) -> Value<'_>,
) -> Value<'static> {
    let named = UniqueValue::new(I::INDEX, id.as_str());
    match around.rows.find::<E>(&named) {
        Ok(Some(found)) => owned(value(&found.entity)),
        Ok(None) | Err(_) => Value::Missing,
    }
}

/// Shows those of some entities of another kind that there are. A damaged one is passed over here;
/// its own list reports it.
fn each_named<'i, E: Listed, I: IndexedId + 'i>(
    around: Around<'_>,
    ids: impl IntoIterator<Item = &'i I>,
    visit: &mut VisitRow<'_>,
) -> ControlFlow<()> {
    ids.into_iter().try_for_each(|id| {
        let named = UniqueValue::new(I::INDEX, id.as_str());
        match around.rows.find::<E>(&named) {
            Ok(Some(found)) => visit(&Record {
                entity: &found.entity,
                around,
            }),
            Ok(None) | Err(_) => ControlFlow::Continue(()),
        }
    })
}
