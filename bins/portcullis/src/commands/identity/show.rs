//! Table view of identities.

use super::{identity_type, state};
use crate::commands::pagination;
use crate::entity::{EntityKind, Named};
use crate::table::Table;
use crate::text::{yes_or_empty, yes_or_no};
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
    const COLUMNS: &'static [&'static str] =
        &["id", "name", "type", "state", "admin", "totp", "attributes"];

    fn base(&self) -> &Base<IdentityId> {
        &self.base
    }

    fn extra_cells(&self, now: Timestamp) -> Vec<String> {
        let attributes: Vec<_> = self.role_attributes.iter().collect();
        let is_admin = self.is_admin || self.is_default_admin;
        vec![
            identity_type::display_type(self).to_owned(),
            state::display(self, now).to_owned(),
            yes_or_empty(is_admin).to_owned(),
            yes_or_empty(self.is_mfa_enabled).to_owned(),
            attributes.join(","),
        ]
    }

    fn add_properties(&self, table: Table, now: Timestamp) -> Table {
        let policy = self.auth_policy.as_ref();
        let policy = policy.map_or(self.auth_policy_id.as_str(), |policy| &policy.name);
        let attributes: Vec<_> = self.role_attributes.iter().collect();
        let is_admin = self.is_admin || self.is_default_admin;
        table
            .property("type", identity_type::display_type(self))
            .property("state", state::display(self, now))
            .property("administrator", yes_or_no(is_admin))
            .property("role attributes", attributes.join(", "))
            .property("authentication policy", policy)
            .property(
                "external id",
                self.external_id.as_deref().unwrap_or_default(),
            )
    }

    fn add_final_properties(&self, table: Table, now: Timestamp) -> Table {
        credentials(table, self, now)
    }
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
        let end = pagination::format_expiry(enrollment.expires_at, now);
        let text = format!("{method}, id {}, until {end}", enrollment.id);
        table = table.property("enrollment", text);
    }
    table
}
