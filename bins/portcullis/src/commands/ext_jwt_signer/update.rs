//! `portcullis ext-jwt-signer update`.

use super::args::SignerArgs;
use crate::commands::entities;
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::external_jwt_signer::{
    ExternalJwtSignerCreate, ExternalJwtSignerDetail, ExternalJwtSignerOptions,
    ExternalJwtSignerPatch,
};
use portcullis_domain::signer::TargetToken;

const EXAMPLES: &str = "\
Only the given options are changed; an empty value removes an option. Switching between a
certificate and a key set replaces the signer as a whole, as controllers require.

Examples:
  portcullis ext-jwt-signer update okta --enabled false
  portcullis ext-jwt-signer update okta --audience gate --scopes openid,email
  portcullis ext-jwt-signer update build --jwks-endpoint https://build.test/keys";

/// Update an external signer
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    /// Id or name of the signer
    #[arg(add = Values::one::<ExternalJwtSignerDetail>())]
    signer: String,

    /// New name
    #[arg(long)]
    name: Option<String>,

    /// Exact issuer in its JWTs (`iss`)
    #[arg(long)]
    issuer: Option<String>,

    /// Audience that its JWTs must contain (`aud`)
    #[arg(long)]
    audience: Option<String>,

    /// Whether its JWTs are accepted
    #[arg(long, value_name = "true|false")]
    enabled: Option<bool>,

    #[command(flatten)]
    members: SignerArgs,

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_empty = self.name.is_none()
            && self.issuer.is_none()
            && self.audience.is_none()
            && self.enabled.is_none()
            && self.members.is_empty()
            && self.tags.is_empty();
        entities::require_changes::<ExternalJwtSignerDetail>(is_empty)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let signer: ExternalJwtSignerDetail = resolve::by_id_or_name(client, &self.signer).await?;
        let id = signer.base.id.clone();
        let update = ExternalJwtSignerPatch {
            name: self.name,
            enabled: self.enabled,
            issuer: self.issuer,
            audience: self.audience,
            members: ExternalJwtSignerOptions {
                tags: self.tags.apply(&signer.base.tags),
                ..self.members.resolve(client).await?
            },
        };
        let changed = if changes_key_source(&signer, &update.members) {
            client
                .replace_entity::<ExternalJwtSignerDetail>(&id, &to_replacement(signer, update))
                .await
        } else {
            client
                .patch_entity::<ExternalJwtSignerDetail>(&id, &update)
                .await
        };
        changed.map_err(entities::refused_change::<ExternalJwtSignerDetail>)?;
        entities::fetch_and_show::<ExternalJwtSignerDetail>(context, session, &id).await
    }
}

/// Whether the keys switch between certificate and key set.
fn changes_key_source(
    signer: &ExternalJwtSignerDetail,
    members: &ExternalJwtSignerOptions,
) -> bool {
    (members.cert_pem.is_some() && signer.jwks_endpoint.is_some())
        || (members.jwks_endpoint.is_some() && signer.cert_pem.is_some())
}

/// The complete updated signer, without its previous keys.
fn to_replacement(
    signer: ExternalJwtSignerDetail,
    update: ExternalJwtSignerPatch,
) -> ExternalJwtSignerCreate {
    let changed = update.members;
    let to_id = signer.target_token == TargetToken::Id.name();
    let target = if to_id {
        TargetToken::Id
    } else {
        TargetToken::Access
    };
    let or = |changed: Option<String>, held: Option<String>| changed.or(held);
    ExternalJwtSignerCreate {
        name: update.name.unwrap_or(signer.name),
        enabled: update.enabled.unwrap_or(signer.enabled),
        issuer: update.issuer.unwrap_or(signer.issuer),
        audience: update.audience.unwrap_or(signer.audience),
        members: ExternalJwtSignerOptions {
            cert_pem: changed.cert_pem,
            jwks_endpoint: changed.jwks_endpoint,
            // A key id belongs to its key.
            kid: changed.kid,
            claims_property: or(changed.claims_property, Some(signer.claims_property)),
            use_external_id: changed.use_external_id.or(Some(signer.use_external_id)),
            external_auth_url: or(changed.external_auth_url, signer.external_auth_url),
            client_id: or(changed.client_id, signer.client_id),
            scopes: changed.scopes.or(signer.scopes),
            target_token: changed.target_token.or(Some(target)),
            enroll_to_cert_enabled: changed
                .enroll_to_cert_enabled
                .or(Some(signer.enroll_to_cert_enabled)),
            enroll_to_token_enabled: changed
                .enroll_to_token_enabled
                .or(Some(signer.enroll_to_token_enabled)),
            enroll_attribute_claims_selector: or(
                changed.enroll_attribute_claims_selector,
                signer.enroll_attribute_claims_selector,
            ),
            enroll_name_claims_selector: or(
                changed.enroll_name_claims_selector,
                Some(signer.enroll_name_claims_selector),
            ),
            enroll_auth_policy_id: or(
                changed.enroll_auth_policy_id,
                Some(signer.enroll_auth_policy_id.to_string()),
            ),
            tags: changed.tags.or(Some(signer.base.tags)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn signer(keys: &Value) -> ExternalJwtSignerDetail {
        let mut signer = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "s1", "tags": {"a": 1},
            "audience": "gate", "claimsProperty": "email", "clientId": "c", "commonName": "",
            "enabled": true, "enrollAttributeClaimsSelector": "/roles",
            "enrollAuthPolicyId": "p1", "enrollNameClaimsSelector": "/name",
            "enrollToCertEnabled": true, "externalAuthUrl": "https://log.in", "issuer": "iss",
            "name": "s", "notAfter": "2031-04-05T06:07:08.009Z",
            "notBefore": "2031-04-05T06:07:08.009Z", "scopes": ["openid"], "targetToken": "ID",
            "useExternalId": true, "kid": "k1", "certPem": null, "jwksEndpoint": null,
            "fingerprint": null,
        });
        for (name, value) in keys.as_object().unwrap() {
            signer[name] = value.clone();
        }
        serde_json::from_value(signer).unwrap()
    }

    #[test]
    fn whole_signer_is_sent_when_its_keys_move() {
        let update = ExternalJwtSignerPatch {
            audience: Some("door".to_owned()),
            members: ExternalJwtSignerOptions {
                jwks_endpoint: Some("https://k".to_owned()),
                ..ExternalJwtSignerOptions::default()
            },
            ..ExternalJwtSignerPatch::default()
        };
        let held = signer(&json!({"certPem": "PEM"}));
        assert!(changes_key_source(&held, &update.members));
        assert!(!changes_key_source(
            &signer(&json!({"jwksEndpoint": "https://j"})),
            &update.members
        ));
        let sent = serde_json::to_value(to_replacement(held, update)).unwrap();
        let expected = json!({
            "name": "s", "enabled": true, "issuer": "iss", "audience": "door",
            "jwksEndpoint": "https://k", "claimsProperty": "email", "useExternalId": true,
            "externalAuthUrl": "https://log.in", "clientId": "c", "scopes": ["openid"],
            "targetToken": "ID", "enrollToCertEnabled": true, "enrollToTokenEnabled": false,
            "enrollAttributeClaimsSelector": "/roles", "enrollNameClaimsSelector": "/name",
            "enrollAuthPolicyId": "p1", "tags": {"a": 1},
        });
        assert_eq!(sent, expected);
    }
}
