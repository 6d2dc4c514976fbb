//! `portcullis identity show`.

use super::{identity_type, state};
use crate::commands::pagination;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use crate::table::Table;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::tags::TagValue;

const EXAMPLES: &str = "\
Examples:
  portcullis identity show laptop
  portcullis identity show laptop --output json | jq -r .enrollment.ott.jwt";

/// Arguments of `identity show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id or name of the identity
    identity: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let identity: IdentityDetail =
        resolve::by_id_or_name(&session.client, &arguments.identity).await?;
    let now = context.now();
    context
        .output
        .write_result(&identity, || table(&identity, now))
}

/// Renders an identity as a table.
pub(super) fn table(identity: &IdentityDetail, now: Timestamp) -> Table {
    let policy = identity.auth_policy.as_ref();
    let policy = policy.map_or(identity.auth_policy_id.as_str(), |policy| &policy.name);
    let attributes: Vec<_> = identity.role_attributes.iter().collect();
    let is_admin = identity.is_admin || identity.is_default_admin;
    let table = Table::with_properties()
        .property("name", &identity.name)
        .property("id", identity.base.id.as_str())
        .property("type", identity_type::display_type(identity))
        .property("state", state::display(identity, now))
        .property("administrator", if is_admin { "yes" } else { "no" })
        .property("role attributes", attributes.join(", "))
        .property("authentication policy", policy)
        .property(
            "external id",
            identity.external_id.as_deref().unwrap_or_default(),
        )
        .property("tags", tags(identity))
        .property("created", identity.base.created_at.to_string())
        .property("updated", identity.base.updated_at.to_string());
    credentials(table, identity, now)
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

fn tags(identity: &IdentityDetail) -> String {
    let tags = identity.base.tags.iter();
    let tags = tags.map(|(key, value)| match value {
        TagValue::Null => format!("{key}=null"),
        TagValue::Bool(value) => format!("{key}={value}"),
        TagValue::Number(value) => format!("{key}={value}"),
        TagValue::Text(value) => format!("{key}={value}"),
    });
    tags.collect::<Vec<_>>().join(", ")
}
