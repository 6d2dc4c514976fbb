//! The list of identities.

use crate::listing::listable::{Listable, PolicyRelated, RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::identity::Identity;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, VisitElement, symbols};
use portcullis_index::{AccessGuard, Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};
use std::ops::ControlFlow;

symbols! {
    pub(crate) enum IdentitySymbol;
    /// Identities.
    pub static IDENTITIES: Schema::entity;
    Name => string("name"),
    ExternalId => string("externalId"),
    Type => string("type"),
    AuthPolicyId => string("authPolicyId"),
    IsAdmin => boolean("isAdmin"),
    IsDefaultAdmin => boolean("isDefaultAdmin"),
    RoleAttributes => set("roleAttributes"),
}

impl PolicyRelated for Identity {
    fn catalog_with_access<'g>(guard: &'g AccessGuard<'_>) -> &'g Catalog<Self> {
        guard.identities()
    }
}

impl Listable for Identity {
    type Entry = Self;
    type Symbol = IdentitySymbol;
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

    fn value(&self, symbol: IdentitySymbol) -> Value<'_> {
        match symbol {
            IdentitySymbol::ExternalId => self.spec.external_id.as_deref().into(),
            IdentitySymbol::Type => text_value(self.kind.name()),
            IdentitySymbol::AuthPolicyId => text_value(self.spec.auth_policy.as_str()),
            IdentitySymbol::IsAdmin => Value::Boolean(self.spec.is_admin),
            IdentitySymbol::IsDefaultAdmin => Value::Boolean(self.is_default_admin),
            IdentitySymbol::Name => text_value(self.spec.name.as_str()),
            IdentitySymbol::RoleAttributes => Value::Missing,
        }
    }

    fn elements(
        &self,
        _context: RowContext<'_>,
        _set: IdentitySymbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        self.spec.role_attributes.iter().try_for_each(visit)
    }

    fn unique_index(symbol: IdentitySymbol) -> Option<UniqueIndex> {
        (symbol == IdentitySymbol::ExternalId).then_some(UniqueIndex::IdentityExternalId)
    }
}
