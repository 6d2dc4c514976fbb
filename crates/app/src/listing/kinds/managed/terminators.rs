//! The list of terminators.

use super::{ListedSpec, of_other};
use crate::listing::listed::{Around, text};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use std::sync::RwLockReadGuard;

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

impl ListedSpec for TerminatorSpec {
    const SCHEMA: &'static Schema = &TERMINATORS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Terminator>> {
        projections.terminators()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "binding" => text(&self.binding),
            "address" => text(&self.address),
            "instanceId" => text(&self.instance_id),
            "hostId" => text(self.host_id.as_deref().unwrap_or_default()),
            // Only terminators that routers made know a controller.
            "sourceCtrl" => text(""),
            "service" => text(self.service.as_str()),
            "router" => text(self.router.as_str()),
            _ => Value::Missing,
        }
    }

    fn related(&self, around: Around<'_>, symbol: &str) -> Value<'static> {
        match symbol {
            "service.name" => of_other(around, &self.service, |service: &Service| {
                text(&service.spec.name)
            }),
            "router.name" => of_other(around, &self.router, |router: &Router| {
                text(&router.spec.name)
            }),
            _ => Value::Missing,
        }
    }
}
