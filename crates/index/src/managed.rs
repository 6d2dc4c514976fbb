//! What administrators make, in catalogs.

mod configs;
mod edge_router_policies;
mod posture_checks;
mod revocations;
mod routers;
mod services;
mod terminators;

pub use configs::ConfigColumns;
pub use edge_router_policies::EdgeRouterPolicyColumns;
pub use posture_checks::PostureCheckColumns;
pub use revocations::RevocationColumns;
pub use routers::RouterColumns;
pub use services::ServiceColumns;
pub use terminators::TerminatorColumns;

use crate::catalog::{Catalogued, Columns};
use crate::few::NoColumns;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::ConfigTypeSpec;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::Managed;
use portcullis_domain::policies::{ServiceEdgeRouterPolicySpec, ServicePolicySpec};

/// What is decided about a kind of entity, for its catalog.
pub trait Described: Sized {
    /// As [`Catalogued::Columns`].
    type Columns<I: EntityId>: Columns<Managed<I, Self>>;

    /// As [`Catalogued::name`].
    fn name(&self) -> Option<&str>;
}

impl<I: EntityId, S: Described> Catalogued for Managed<I, S> {
    type Columns = S::Columns<I>;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        self.spec.name()
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

/// Says that records of a kind are so few that a catalog keeps no columns of them.
macro_rules! without_columns {
    ($($spec:ty),* $(,)?) => {$(
        impl Described for $spec {
            type Columns<I: EntityId> = NoColumns;

            fn name(&self) -> Option<&str> {
                Some(&self.name)
            }
        }
    )*};
}

without_columns!(
    ConfigTypeSpec,
    ServicePolicySpec,
    ServiceEdgeRouterPolicySpec,
);
