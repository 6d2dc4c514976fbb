//! Partial updates of identities.

use super::{IdentityName, IdentitySpec, Precedence};
use crate::ids::{AuthPolicyId, ServiceId};
use crate::patch::assign;
use crate::permission::PermissionSet;
use crate::roles::RoleAttributes;
use crate::tags::{AppData, Tags};
use std::collections::BTreeMap;

/// Members of an identity to change; `None` leaves a member unchanged, and collections are replaced
/// as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IdentitySpecPatch {
    pub name: Option<IdentityName>,
    pub is_admin: Option<bool>,
    /// Never changes anything, but setting it requires administrator rights.
    pub is_default_admin: Option<bool>,
    pub role_attributes: Option<RoleAttributes>,
    pub auth_policy: Option<AuthPolicyId>,
    /// `Some(None)` removes it.
    pub external_id: Option<Option<String>>,
    pub permissions: Option<PermissionSet>,
    pub app_data: Option<AppData>,
    pub tags: Option<Tags>,
    pub default_hosting_precedence: Option<Precedence>,
    pub default_hosting_cost: Option<u16>,
    pub service_hosting_precedences: Option<BTreeMap<ServiceId, Precedence>>,
    pub service_hosting_costs: Option<BTreeMap<ServiceId, u16>>,
}

impl IdentitySpecPatch {
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
        IdentitySpecPatch::default().apply(&mut spec);
        assert_eq!(spec, before);

        let patch = IdentitySpecPatch {
            external_id: Some(None),
            ..IdentitySpecPatch::default()
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
