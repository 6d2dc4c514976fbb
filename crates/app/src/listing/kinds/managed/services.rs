//! The list of services.

use super::configs::CONFIGS;
use super::{ListableSpec, PolicyRelatedSpec, visit_by_ids};
use crate::listing::listable::{RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::config::Config;
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, VisitElement, VisitRow, symbols};
use portcullis_index::{AccessGuard, Catalog, Projections};
use std::ops::ControlFlow;

symbols! {
    pub(crate) enum ServiceSymbol;
    /// Services.
    pub static SERVICES: Schema::entity;
    Name => string("name"),
    TerminatorStrategy => string("terminatorStrategy"),
    RoleAttributes => set("roleAttributes"),
    IsFabricOnly => boolean("isFabricOnly"),
    Configs => references("configs", &CONFIGS),
}

impl PolicyRelatedSpec for ServiceSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Service> {
        guard.services()
    }
}

impl ListableSpec for ServiceSpec {
    type Symbol = ServiceSymbol;
    const SCHEMA: &'static Schema = &SERVICES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Service>> {
        projections.services()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: ServiceSymbol) -> Value<'_> {
        match symbol {
            ServiceSymbol::TerminatorStrategy => text_value(self.terminator_strategy.name()),
            ServiceSymbol::IsFabricOnly => Value::Boolean(self.is_fabric_only),
            ServiceSymbol::Name => text_value(&self.name),
            ServiceSymbol::RoleAttributes | ServiceSymbol::Configs => Value::Missing,
        }
    }

    fn elements(
        entity: &Service,
        _context: RowContext<'_>,
        set: ServiceSymbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match set {
            ServiceSymbol::Configs => spec.configs.iter().try_for_each(|id| visit(id.as_str())),
            _ => spec.role_attributes.iter().try_for_each(visit),
        }
    }

    fn referenced(
        entity: &Service,
        context: RowContext<'_>,
        _set: ServiceSymbol,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        visit_by_ids::<Config, _>(context, &entity.spec.configs, visit)
    }
}
