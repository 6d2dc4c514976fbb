//! The list of services.

use super::configs::CONFIGS;
use super::{ListableSpec, PolicyRelatedSpec, visit_by_ids};
use crate::listing::listable::{RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::config::Config;
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, Projections};
use std::ops::ControlFlow;

/// Services.
pub static SERVICES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("terminatorStrategy"),
    Symbol::set("roleAttributes"),
    Symbol::boolean("isFabricOnly"),
    Symbol::references("configs", &CONFIGS),
]);

impl PolicyRelatedSpec for ServiceSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Service> {
        guard.services()
    }
}

impl ListableSpec for ServiceSpec {
    const SCHEMA: &'static Schema = &SERVICES;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Service>> {
        projections.services()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "terminatorStrategy" => text_value(self.terminator_strategy.name()),
            "isFabricOnly" => Value::Boolean(self.is_fabric_only),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &Service,
        _context: RowContext<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match set {
            "configs" => spec.configs.iter().try_for_each(|id| visit(id.as_str())),
            _ => spec.role_attributes.iter().try_for_each(visit),
        }
    }

    fn referenced(
        entity: &Service,
        context: RowContext<'_>,
        _set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        visit_by_ids::<Config, _>(context, &entity.spec.configs, visit)
    }
}
