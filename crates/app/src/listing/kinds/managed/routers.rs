//! Lists of edge routers and of all routers.

use super::configs::CONFIGS;
use super::{ListableSpec, PolicyRelatedSpec, visit_by_ids};
use crate::listing::listable::RowContext;
use parking_lot::RwLockReadGuard;
use portcullis_domain::config::Config;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement, VisitRow};
use portcullis_index::{AccessGuard, Catalog, Projections};
use std::ops::ControlFlow;

/// Edge routers.
pub static EDGE_ROUTERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::integer("cost"),
    Symbol::boolean("noTraversal"),
    Symbol::boolean("disabled"),
    Symbol::references("configs", &CONFIGS),
    Symbol::set("roleAttributes"),
    Symbol::boolean("isVerified"),
    Symbol::boolean("isTunnelerEnabled"),
    Symbol::boolean("connected"),
    Symbol::boolean("online"),
]);

/// Symbols of edge routers for clients: those that clients are shown. A filter over any other would
/// disclose its values.
pub static CLIENT_EDGE_ROUTERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::integer("cost"),
    Symbol::boolean("noTraversal"),
    Symbol::boolean("disabled"),
    Symbol::boolean("connected"),
    Symbol::boolean("online"),
]);

/// Routers of both kinds.
pub static TRANSIT_ROUTERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::integer("cost"),
    Symbol::boolean("noTraversal"),
    Symbol::boolean("disabled"),
    Symbol::references("configs", &CONFIGS),
    Symbol::boolean("connected"),
]);

impl PolicyRelatedSpec for RouterSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Router> {
        guard.routers()
    }
}

impl ListableSpec for RouterSpec {
    const SCHEMA: &'static Schema = &EDGE_ROUTERS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Router>> {
        projections.routers()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "fingerprint" => self
                .certificate
                .as_ref()
                .map(|certificate| certificate.fingerprint.as_str())
                .into(),
            "cost" => i64::from(self.cost).into(),
            "noTraversal" => self.no_traversal.into(),
            "disabled" => self.disabled.into(),
            "isVerified" => self.certificate.is_some().into(),
            "isTunnelerEnabled" => self
                .edge()
                .is_some_and(|edge| edge.is_tunneler_enabled)
                .into(),
            // No control channel is served yet, so no router is connected.
            "connected" | "online" => false.into(),
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &Router,
        _context: RowContext<'_>,
        set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match (set, spec.edge()) {
            ("configs", _) => spec.configs.iter().try_for_each(|id| visit(id.as_str())),
            (_, Some(edge)) => edge.role_attributes.iter().try_for_each(visit),
            (_, None) => ControlFlow::Continue(()),
        }
    }

    fn referenced(
        entity: &Router,
        context: RowContext<'_>,
        _set: &str,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        visit_by_ids::<Config, _>(context, &entity.spec.configs, visit)
    }
}
