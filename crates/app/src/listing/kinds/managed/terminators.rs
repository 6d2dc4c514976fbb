//! The list of terminators.

use super::{ListableSpec, value_of_other};
use crate::listing::listable::{RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};

/// Terminators.
pub static TERMINATORS: Schema = Schema::entity(&[
    Symbol::string("binding"),
    Symbol::string("address"),
    Symbol::string("instanceId"),
    Symbol::string("hostId"),
    Symbol::string("sourceCtrl"),
    Symbol::string("service"),
    Symbol::string("router"),
    Symbol::string("service.name"),
    Symbol::string("router.name"),
]);

impl ListableSpec for TerminatorSpec {
    const SCHEMA: &'static Schema = &TERMINATORS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Terminator>> {
        projections.terminators()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "binding" => text_value(&self.binding),
            "address" => text_value(&self.address),
            "instanceId" => text_value(&self.instance_id),
            "hostId" => text_value(self.host_id.as_deref().unwrap_or_default()),
            // Only terminators that routers created have a controller.
            "sourceCtrl" => text_value(""),
            "service" => text_value(self.service.as_str()),
            "router" => text_value(self.router.as_str()),
            _ => Value::Missing,
        }
    }

    fn related_value(&self, context: RowContext<'_>, symbol: &str) -> Value<'static> {
        match symbol {
            "service.name" => value_of_other(context, &self.service, |service: &Service| {
                text_value(&service.spec.name)
            }),
            "router.name" => value_of_other(context, &self.router, |router: &Router| {
                text_value(&router.spec.name)
            }),
            _ => Value::Missing,
        }
    }
}
