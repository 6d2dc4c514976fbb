//! Catalog columns of identities.

use crate::access::{PolicySide, Selectable};
use crate::catalog::{CatalogColumns, CatalogEntry};
use crate::column::{ColumnRef, Constant};
use crate::postings::Postings;
use crate::slot_bits::set_flag;
use crate::slots::Slot;
use crate::text::TextColumn;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::IdentityId;
use roaring::RoaringBitmap;

impl CatalogEntry for Identity {
    type Columns = IdentityColumns;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn name(&self) -> Option<&str> {
        Some(Self::name(self))
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Timestamp {
        self.updated_at
    }
}

impl Selectable for Identity {
    type Id = IdentityId;
    const SIDE: PolicySide = PolicySide::Identities;

    fn role_attributes(columns: &IdentityColumns) -> &Postings {
        columns.role_attributes()
    }
}

/// Columns of identities.
#[derive(Debug, Default)]
pub struct IdentityColumns {
    routers: RoaringBitmap,
    admins: RoaringBitmap,
    default_admins: RoaringBitmap,
    disabled: RoaringBitmap,
    external_ids: TextColumn,
    role_attributes: Postings,
    auth_policies: Postings,
}

impl IdentityColumns {
    /// The type of the identity in a slot.
    pub fn kind(&self, slot: Slot) -> IdentityType {
        if self.routers.contains(slot.bit()) {
            IdentityType::Router
        } else {
            IdentityType::Default
        }
    }

    /// Identities of type `Router`; all others have the type `Default`.
    pub const fn routers(&self) -> &RoaringBitmap {
        &self.routers
    }

    /// Identities with `isAdmin`.
    pub const fn admins(&self) -> &RoaringBitmap {
        &self.admins
    }

    /// The default administrator.
    pub const fn default_admins(&self) -> &RoaringBitmap {
        &self.default_admins
    }

    /// Whether the identity in a slot has administrator rights.
    pub fn has_admin_rights(&self, slot: Slot) -> bool {
        self.admins.contains(slot.bit()) || self.default_admins.contains(slot.bit())
    }

    /// Disabled identities, including those whose disabling may have ended: the record has the
    /// time.
    pub const fn disabled(&self) -> &RoaringBitmap {
        &self.disabled
    }

    /// The external id of the identity in a slot.
    pub fn external_id(&self, slot: Slot) -> Option<&str> {
        self.external_ids.get(slot)
    }

    /// Identities by role attribute.
    pub const fn role_attributes(&self) -> &Postings {
        &self.role_attributes
    }

    /// Identities by the id of their authentication policy.
    pub const fn auth_policies(&self) -> &Postings {
        &self.auth_policies
    }
}

impl CatalogColumns<Identity> for IdentityColumns {
    fn set(&mut self, slot: Slot, identity: &Identity) {
        let spec = &identity.spec;
        set_flag(
            &mut self.routers,
            slot,
            identity.kind == IdentityType::Router,
        );
        set_flag(&mut self.admins, slot, spec.is_admin);
        set_flag(&mut self.default_admins, slot, identity.is_default_admin);
        set_flag(&mut self.disabled, slot, identity.disabled.is_some());
        self.external_ids.set(slot, spec.external_id.as_deref());
        self.role_attributes
            .set_terms(slot, spec.role_attributes.iter());
        self.auth_policies
            .set_terms(slot, std::iter::once(spec.auth_policy.as_str()));
    }

    fn column(&self, symbol: &str) -> Option<ColumnRef<'_>> {
        let kind = |of: IdentityType| Constant::Text(of.name());
        Some(match symbol {
            "externalId" => ColumnRef::text(&self.external_ids),
            "type" => ColumnRef::constants(
                [(&self.routers, kind(IdentityType::Router))],
                kind(IdentityType::Default),
            ),
            "authPolicyId" => ColumnRef::single(&self.auth_policies),
            "isAdmin" => ColumnRef::flag(&self.admins),
            "isDefaultAdmin" => ColumnRef::flag(&self.default_admins),
            "roleAttributes" => ColumnRef::set(&self.role_attributes),
            _ => return None,
        })
    }

    fn clear(&mut self, slot: Slot) {
        for flag in [
            &mut self.routers,
            &mut self.admins,
            &mut self.default_admins,
            &mut self.disabled,
        ] {
            flag.remove(slot.bit());
        }
        self.external_ids.set(slot, None);
        self.role_attributes.set_terms(slot, std::iter::empty());
        self.auth_policies.set_terms(slot, std::iter::empty());
    }

    fn heap_bytes(&self) -> usize {
        let flags: usize = [
            &self.routers,
            &self.admins,
            &self.default_admins,
            &self.disabled,
        ]
        .map(RoaringBitmap::serialized_size)
        .iter()
        .sum();
        flags
            + self.external_ids.heap_bytes()
            + self.role_attributes.heap_bytes()
            + self.auth_policies.heap_bytes()
    }
}
