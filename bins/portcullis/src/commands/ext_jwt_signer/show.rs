//! `portcullis ext-jwt-signer show`.

use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use crate::table::Table;
use clap::Args;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;

const EXAMPLES: &str = "\
Examples:
  portcullis ext-jwt-signer show okta
  portcullis ext-jwt-signer show okta --output json | jq -r .jwksEndpoint";

/// Arguments of `ext-jwt-signer show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id or name of the signer
    signer: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let signer: ExternalJwtSignerDetail =
        resolve::by_id_or_name(&session.client, &arguments.signer).await?;
    context.output.write_result(&signer, || table(&signer))
}

/// Renders a signer as a table.
pub(super) fn table(signer: &ExternalJwtSignerDetail) -> Table {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let claimed = if signer.use_external_id {
        "external id"
    } else {
        "id"
    };
    let scopes = signer.scopes.iter().flatten().map(String::as_str);
    let scopes: Vec<_> = scopes.collect();
    Table::with_properties()
        .property("name", &signer.name)
        .property("id", signer.base.id.as_str())
        .property("enabled", if signer.enabled { "yes" } else { "no" })
        .property("issuer", &signer.issuer)
        .property("audience", &signer.audience)
        .property("keys", keys(signer))
        .property("key id", text(&signer.kid))
        .property(
            "identity",
            format!("{claimed} in claim {}", signer.claims_property),
        )
        .property("log in at", text(&signer.external_auth_url))
        .property("client id", text(&signer.client_id))
        .property("scopes", scopes.join(", "))
        .property("token", signer.target_token.to_lowercase())
        .property("enrollment", enrollment(signer))
        .property("created", signer.base.created_at.to_string())
        .property("updated", signer.base.updated_at.to_string())
}

/// Source of the keys.
pub(super) fn keys(signer: &ExternalJwtSignerDetail) -> String {
    match (&signer.jwks_endpoint, &signer.fingerprint) {
        (Some(endpoint), _) => endpoint.clone(),
        (None, Some(fingerprint)) => format!("SHA-1 {fingerprint}"),
        (None, None) => String::new(),
    }
}

/// Description of enrollment with its JWTs.
fn enrollment(signer: &ExternalJwtSignerDetail) -> String {
    let ways = match (
        signer.enroll_to_cert_enabled,
        signer.enroll_to_token_enabled,
    ) {
        (false, false) => return "no".to_owned(),
        (true, false) => "for a certificate",
        (false, true) => "for JWTs",
        (true, true) => "for a certificate or JWTs",
    };
    let mut parts = vec![
        ways.to_owned(),
        format!("named by {}", signer.enroll_name_claims_selector),
        format!("with the policy {}", signer.enroll_auth_policy_id),
    ];
    if let Some(claim) = &signer.enroll_attribute_claims_selector {
        parts.push(format!("with the role attributes in {claim}"));
    }
    parts.join(", ")
}
