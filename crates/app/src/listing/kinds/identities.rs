//! The list of identities.

use crate::listing::listable::{Listable, PolicyRelated, RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::identity::Identity;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement};
use portcullis_index::{AccessGuard, Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};
use std::ops::ControlFlow;

/// Identities.
pub static IDENTITIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("externalId"),
    Symbol::string("type"),
    Symbol::string("authPolicyId"),
    Symbol::boolean("isAdmin"),
    Symbol::boolean("isDefaultAdmin"),
    Symbol::set("roleAttributes"),
]);

impl PolicyRelated for Identity {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.identities()
    }
}

impl Listable for Identity {
    type Entry = Self;
    const SCHEMA: &'static Schema = &IDENTITIES;
    const ROOT_KINDS: &'static [Kind] = &[IDENTITY];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        projections.identities()
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "externalId" => self.spec.external_id.as_deref().into(),
            "type" => text_value(self.kind.name()),
            "authPolicyId" => text_value(self.spec.auth_policy.as_str()),
            "isAdmin" => Value::Boolean(self.spec.is_admin),
            "isDefaultAdmin" => Value::Boolean(self.is_default_admin),
            _ => Value::Missing,
        }
    }

    fn elements(
        &self,
        _context: RowContext<'_>,
        _set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        self.spec.role_attributes.iter().try_for_each(visit)
    }

    fn unique_index(symbol: &str) -> Option<UniqueIndex> {
        (symbol == "externalId").then_some(UniqueIndex::IdentityExternalId)
    }
}
