//! Lists of edge routers and of all routers.

use super::configs::CONFIGS;
use super::{ListableSpec, PolicyRelatedSpec, visit_by_ids};
use crate::listing::listable::{RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::config::Config;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, VisitElement, VisitRow, symbols};
use portcullis_index::{AccessGuard, Catalog, Projections};
use std::ops::ControlFlow;

symbols! {
    pub(crate) enum RouterSymbol;
    /// Edge routers.
    pub static EDGE_ROUTERS: Schema::entity;
    Name => string("name"),
    Fingerprint => string("fingerprint"),
    Cost => integer("cost"),
    NoTraversal => boolean("noTraversal"),
    Disabled => boolean("disabled"),
    Configs => references("configs", &CONFIGS),
    RoleAttributes => set("roleAttributes"),
    IsVerified => boolean("isVerified"),
    IsTunnelerEnabled => boolean("isTunnelerEnabled"),
    Connected => boolean("connected"),
    Online => boolean("online"),
}

/// Symbols of edge routers for clients: those that clients are shown. A filter over any other would
/// disclose its values.
pub static CLIENT_EDGE_ROUTERS: Schema = Schema::entity(&[
    RouterSymbol::Name.symbol(),
    RouterSymbol::Cost.symbol(),
    RouterSymbol::NoTraversal.symbol(),
    RouterSymbol::Disabled.symbol(),
    RouterSymbol::Connected.symbol(),
    RouterSymbol::Online.symbol(),
]);

/// Routers of both kinds.
pub static TRANSIT_ROUTERS: Schema = Schema::entity(&[
    RouterSymbol::Name.symbol(),
    RouterSymbol::Fingerprint.symbol(),
    RouterSymbol::Cost.symbol(),
    RouterSymbol::NoTraversal.symbol(),
    RouterSymbol::Disabled.symbol(),
    RouterSymbol::Configs.symbol(),
    RouterSymbol::Connected.symbol(),
]);

impl PolicyRelatedSpec for RouterSpec {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Router> {
        guard.routers()
    }
}

impl ListableSpec for RouterSpec {
    type Symbol = RouterSymbol;
    const SCHEMA: &'static Schema = &EDGE_ROUTERS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Router>> {
        projections.routers()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: RouterSymbol) -> Value<'_> {
        match symbol {
            RouterSymbol::Fingerprint => self
                .certificate
                .as_ref()
                .map(|certificate| certificate.fingerprint.as_str())
                .into(),
            RouterSymbol::Cost => i64::from(self.cost).into(),
            RouterSymbol::NoTraversal => self.no_traversal.into(),
            RouterSymbol::Disabled => self.disabled.into(),
            RouterSymbol::IsVerified => self.certificate.is_some().into(),
            RouterSymbol::IsTunnelerEnabled => self
                .edge()
                .is_some_and(|edge| edge.is_tunneler_enabled)
                .into(),
            RouterSymbol::Name => text_value(&self.name),
            RouterSymbol::Connected
            | RouterSymbol::Online
            | RouterSymbol::RoleAttributes
            | RouterSymbol::Configs => Value::Missing,
        }
    }

    fn related_value(
        entity: &Router,
        context: RowContext<'_>,
        symbol: RouterSymbol,
    ) -> Value<'static> {
        match symbol {
            RouterSymbol::Connected | RouterSymbol::Online => {
                context.network.is_online(&entity.id).into()
            },
            _ => Value::Missing,
        }
    }

    fn elements(
        entity: &Router,
        _context: RowContext<'_>,
        set: RouterSymbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let spec = &entity.spec;
        match (set, spec.edge()) {
            (RouterSymbol::Configs, _) => spec.configs.iter().try_for_each(|id| visit(id.as_str())),
            (_, Some(edge)) => edge.role_attributes.iter().try_for_each(visit),
            (_, None) => ControlFlow::Continue(()),
        }
    }

    fn referenced(
        entity: &Router,
        context: RowContext<'_>,
        _set: RouterSymbol,
        visit: &mut VisitRow<'_>,
    ) -> ControlFlow<()> {
        visit_by_ids::<Config, _>(context, &entity.spec.configs, visit)
    }
}
