//! Catalogs of managed kinds.

mod auth_policies;
mod configs;
mod edge_router_policies;
mod posture_checks;
mod revocations;
mod routers;
mod services;
mod terminators;

pub use auth_policies::AuthPolicyColumns;
pub use configs::ConfigColumns;
pub use edge_router_policies::EdgeRouterPolicyColumns;
pub use posture_checks::PostureCheckColumns;
pub use revocations::RevocationColumns;
pub use routers::RouterColumns;
pub use services::ServiceColumns;
pub use terminators::TerminatorColumns;

use crate::catalog::{CatalogColumns, CatalogEntry};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EntityId;
use portcullis_domain::managed::{Managed, MaybeNamed};

/// The spec of a managed kind that has a catalog.
pub trait CatalogSpec: MaybeNamed + Sized {
    /// As [`CatalogEntry::Columns`].
    type Columns<I: EntityId>: CatalogColumns<Managed<I, Self>>;
}

impl<I: EntityId, S: CatalogSpec> CatalogEntry for Managed<I, S> {
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
