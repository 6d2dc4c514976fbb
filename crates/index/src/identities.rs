//! Identities in a catalog.

use crate::access::{Selectable, Side};
use crate::bits::mark;
use crate::catalog::{Catalogued, Columns};
use crate::held::{Held, Word};
use crate::postings::Postings;
use crate::slots::Slot;
use crate::text::TextColumn;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::IdentityId;
use roaring::RoaringBitmap;

impl Catalogued for Identity {
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
    const SIDE: Side = Side::Identities;

    fn role_attributes(columns: &IdentityColumns) -> &Postings {
        columns.role_attributes()
    }
}

/// What identities are searched by besides name and times.
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
    /// Whom the identity in a slot stands for.
    pub fn kind(&self, slot: Slot) -> IdentityType {
        if self.routers.contains(slot.bit()) {
            IdentityType::Router
        } else {
            IdentityType::Default
        }
    }

    /// Those that stand for routers; all others have the default type.
    pub const fn routers(&self) -> &RoaringBitmap {
        &self.routers
    }

    /// Those that were appointed administrators.
    pub const fn admins(&self) -> &RoaringBitmap {
        &self.admins
    }

    /// Those that are administrators by birth.
    pub const fn default_admins(&self) -> &RoaringBitmap {
        &self.default_admins
    }

    /// Those that are shut out, or were until a time that may have passed: the record tells.
    pub const fn disabled(&self) -> &RoaringBitmap {
        &self.disabled
    }

    /// The external id of the identity in a slot.
    pub fn external_id(&self, slot: Slot) -> Option<&str> {
        self.external_ids.get(slot)
    }

    /// Who carries which role attribute.
    pub const fn role_attributes(&self) -> &Postings {
        &self.role_attributes
    }

    /// Whom which authentication policy governs, by the policy's id.
    pub const fn auth_policies(&self) -> &Postings {
        &self.auth_policies
    }
}

impl Columns<Identity> for IdentityColumns {
    fn set(&mut self, slot: Slot, identity: &Identity) {
        let spec = &identity.spec;
        mark(
            &mut self.routers,
            slot,
            identity.kind == IdentityType::Router,
        );
        mark(&mut self.admins, slot, spec.is_admin);
        mark(&mut self.default_admins, slot, identity.is_default_admin);
        mark(&mut self.disabled, slot, identity.disabled.is_some());
        self.external_ids.set(slot, spec.external_id.as_deref());
        self.role_attributes
            .set_words(slot, spec.role_attributes.iter());
        self.auth_policies
            .set_words(slot, std::iter::once(spec.auth_policy.as_str()));
    }

    fn held(&self, symbol: &str) -> Option<Held<'_>> {
        let kind = |of: IdentityType| Word::Text(of.name());
        Some(match symbol {
            "externalId" => Held::text(&self.external_ids),
            "type" => Held::cases(
                [(&self.routers, kind(IdentityType::Router))],
                kind(IdentityType::Default),
            ),
            "authPolicyId" => Held::single(&self.auth_policies),
            "isAdmin" => Held::flag(&self.admins),
            "isDefaultAdmin" => Held::flag(&self.default_admins),
            "roleAttributes" => Held::set(&self.role_attributes),
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
        self.role_attributes.set_words(slot, std::iter::empty());
        self.auth_policies.set_words(slot, std::iter::empty());
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
