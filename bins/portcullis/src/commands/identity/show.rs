//! `portcullis identity show`.

use super::{kind, state};
use crate::commands::page;
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
    let identity: IdentityDetail = resolve::one(&session.client, &arguments.identity).await?;
    let now = context.now();
    context.output.result(&identity, || table(&identity, now))
}

/// Writes an identity for people.
pub(super) fn table(identity: &IdentityDetail, now: Timestamp) -> Table {
    let policy = identity.auth_policy.as_ref();
    let policy = policy.map_or(identity.auth_policy_id.as_str(), |policy| &policy.name);
    let attributes: Vec<_> = identity.role_attributes.iter().collect();
    let is_admin = identity.is_admin || identity.is_default_admin;
    let table = Table::of_properties()
        .property("name", &identity.name)
        .property("id", identity.base.id.as_str())
        .property("type", kind::shown(identity))
        .property("state", state::shown(identity, now))
        .property("administrator", if is_admin { "yes" } else { "no" })
        .property("role attributes", attributes.join(", "))
        .property("authentication policy", policy)
        .property(
            "external id",
            identity.external_id.as_deref().unwrap_or_default(),
        )
        .property("tags", tags(identity))
        .property("created", identity.base.created_at.to_string())
        .property("changed", identity.base.updated_at.to_string());
    credentials(table, identity, now)
}

/// Adds by what the identity logs in, or will.
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
    for (method, enrollment) in state::pending(identity) {
        let end = page::end(enrollment.expires_at, now);
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
