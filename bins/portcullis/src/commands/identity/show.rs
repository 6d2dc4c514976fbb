//! Table view of identities.

use super::{identity_type, state};
use crate::column::Column;
use crate::commands::attributes;
use crate::entity::{EntityKind, Named};
use crate::moment;
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::entity::Base;
use portcullis_api::identity::IdentityDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::IdentityId;

impl Named for IdentityDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for IdentityDetail {
    const COMMAND: &'static str = "identity";
    const SINGULAR: &'static str = "identity";
    const PLURAL: &'static str = "identities";
    const GOES_WITH: &'static str =
        " Their sessions, certificates, passwords and enrollments go with them.";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("type", "type", |identity, _| {
            identity_type::display_type(identity).into()
        }),
        Column::new("state", "state", |identity, now| {
            state::display(identity, now).into()
        }),
        Column::new("isAdmin", "admin", |identity, _| is_admin(identity).into()),
        Column::new("isMfaEnabled", "totp", |identity, _| {
            identity.is_mfa_enabled.into()
        }),
        Column::new("roleAttributes", "attributes", |identity, _| {
            attributes::display(Some(&identity.role_attributes)).into()
        }),
        Column::new(
            "authPolicy",
            "authentication policy",
            |identity: &Self, _| auth_policy(identity).into(),
        )
        .wide(),
        Column::new("externalId", "external id", |identity: &Self, _| {
            identity.external_id.clone().into()
        })
        .wide(),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "externalId",
        "type",
        "authPolicyId",
        "isAdmin",
        "isDefaultAdmin",
        "roleAttributes",
    ];

    fn base(&self) -> Option<&Base<IdentityId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, now: Timestamp) -> Table {
        table
            .property("type", identity_type::display_type(self))
            .property("state", state::display(self, now))
            .property("administrator", yes_or_no(is_admin(self)))
            .property(
                "role attributes",
                attributes::display(Some(&self.role_attributes)),
            )
            .property("authentication policy", auth_policy(self))
            .property(
                "external id",
                self.external_id.as_deref().unwrap_or_default(),
            )
    }

    fn add_final_properties(&self, table: Table, now: Timestamp) -> Table {
        credentials(table, self, now)
    }
}

/// Whether it may do everything.
pub(crate) fn is_admin(identity: &IdentityDetail) -> bool {
    identity.is_admin || identity.is_default_admin
}

/// Name of the policy, for which its id stands if the controller does not name it.
fn auth_policy(identity: &IdentityDetail) -> &str {
    let policy = identity.auth_policy.as_ref();
    policy.map_or(identity.auth_policy_id.as_str(), |policy| &policy.name)
}

/// Adds authenticators and pending enrollments.
fn credentials(mut table: Table, identity: &IdentityDetail, now: Timestamp) -> Table {
    if let Some(cert) = &identity.authenticators.cert {
        table = table.property("certificate", format!("SHA-1 {}", cert.fingerprint));
    }
    if let Some(updb) = &identity.authenticators.updb {
        table = table.property("username", &updb.username);
    }
    if identity.is_mfa_enabled {
        table = table.property("TOTP", "enrolled");
    }
    for (method, enrollment) in state::pending_enrollments(identity) {
        let end = moment::full(enrollment.expires_at, now);
        let text = format!("{method}, id {}, until {end}", enrollment.id);
        table = table.property("enrollment", text);
    }
    table
}
