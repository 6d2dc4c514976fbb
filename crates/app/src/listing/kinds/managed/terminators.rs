//! The list of terminators.

use super::{ListableSpec, value_of_other};
use crate::listing::listable::{RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use portcullis_domain::tags::Tags;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};

symbols! {
    pub(crate) enum TerminatorSymbol;
    /// Terminators.
    pub static TERMINATORS: Schema::entity;
    Binding => string("binding"),
    Address => string("address"),
    InstanceId => string("instanceId"),
    HostId => string("hostId"),
    SourceCtrl => string("sourceCtrl"),
    Service => string("service"),
    Router => string("router"),
    ServiceName => string("service.name"),
    RouterName => string("router.name"),
}

impl ListableSpec for TerminatorSpec {
    type Symbol = TerminatorSymbol;
    const SCHEMA: &'static Schema = &TERMINATORS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Terminator>> {
        projections.terminators()
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: TerminatorSymbol) -> Value<'_> {
        match symbol {
            TerminatorSymbol::Binding => text_value(&self.binding),
            TerminatorSymbol::Address => text_value(&self.address),
            TerminatorSymbol::InstanceId => text_value(&self.instance_id),
            TerminatorSymbol::HostId => text_value(self.host_id.as_deref().unwrap_or_default()),
            // Only terminators that routers created have a controller.
            TerminatorSymbol::SourceCtrl => text_value(""),
            TerminatorSymbol::Service => text_value(self.service.as_str()),
            TerminatorSymbol::Router => text_value(self.router.as_str()),
            TerminatorSymbol::ServiceName | TerminatorSymbol::RouterName => Value::Missing,
        }
    }

    fn related_value(
        entity: &Terminator,
        context: RowContext<'_>,
        symbol: TerminatorSymbol,
    ) -> Value<'static> {
        let spec = &entity.spec;
        match symbol {
            TerminatorSymbol::ServiceName => {
                value_of_other(context, &spec.service, |service: &Service| {
                    text_value(&service.spec.name)
                })
            },
            TerminatorSymbol::RouterName => {
                value_of_other(context, &spec.router, |router: &Router| {
                    text_value(&router.spec.name)
                })
            },
            _ => Value::Missing,
        }
    }
}
