//! Partial update of an identity.

use super::{IdentityName, IdentitySpec, Precedence};
use crate::ids::{AuthPolicyId, ServiceId};
use crate::patch::assign;
use crate::permission::PermissionSet;
use crate::roles::RoleAttributes;
use crate::tags::{AppData, Tags};
use std::collections::BTreeMap;

/// The members of an identity to change; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdentityPatch {
    /// New name.
    pub name: Option<IdentityName>,
    /// Whether it is an administrator.
    pub is_admin: Option<bool>,
    /// Whether it is the first administrator. That never changes; whoever names it speaks of rank.
    pub is_default_admin: Option<bool>,
    /// New role attributes, all of them.
    pub role_attributes: Option<RoleAttributes>,
    /// New authentication policy.
    pub auth_policy: Option<AuthPolicyId>,
    /// New external id; `Some(None)` takes it away.
    pub external_id: Option<Option<String>>,
    /// New permissions, all of them.
    pub permissions: Option<PermissionSet>,
    /// New application data, all of it.
    pub app_data: Option<AppData>,
    /// New tags, all of them.
    pub tags: Option<Tags>,
    /// New default precedence.
    pub default_hosting_precedence: Option<Precedence>,
    /// New default cost.
    pub default_hosting_cost: Option<u16>,
    /// New precedences, all of them.
    pub service_hosting_precedences: Option<BTreeMap<ServiceId, Precedence>>,
    /// New costs, all of them.
    pub service_hosting_costs: Option<BTreeMap<ServiceId, u16>>,
}

impl IdentityPatch {
    /// Writes the set members into `spec`.
    pub(super) fn apply(self, spec: &mut IdentitySpec) {
        assign(&mut spec.name, self.name);
        assign(&mut spec.is_admin, self.is_admin);
        assign(&mut spec.role_attributes, self.role_attributes);
        assign(&mut spec.auth_policy, self.auth_policy);
        assign(&mut spec.external_id, self.external_id);
        assign(&mut spec.permissions, self.permissions.map(Some));
        assign(&mut spec.app_data, self.app_data);
        assign(&mut spec.tags, self.tags);
        assign(
            &mut spec.hosting.default_precedence,
            self.default_hosting_precedence,
        );
        assign(&mut spec.hosting.default_cost, self.default_hosting_cost);
        assign(
            &mut spec.hosting.precedences,
            self.service_hosting_precedences,
        );
        assign(&mut spec.hosting.costs, self.service_hosting_costs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_set_members_change() {
        let mut spec = IdentitySpec::named(IdentityName::new("a").unwrap());
        spec.external_id = Some("x".to_owned());
        let before = spec.clone();
        IdentityPatch::default().apply(&mut spec);
        assert_eq!(spec, before);

        let patch = IdentityPatch {
            external_id: Some(None),
            ..IdentityPatch::default()
        };
        patch.apply(&mut spec);
        assert_eq!(
            spec,
            IdentitySpec {
                external_id: None,
                ..before
            }
        );
    }
}
