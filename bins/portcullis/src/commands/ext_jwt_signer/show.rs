//! Table view of external signers.

use crate::column::Column;
use crate::entity::{EntityKind, Named};
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::entity::Base;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::SignerId;

impl Named for ExternalJwtSignerDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for ExternalJwtSignerDetail {
    const COMMAND: &'static str = "ext-jwt-signer";
    const SINGULAR: &'static str = "external signer";
    const PLURAL: &'static str = "external signers";
    const SHORT_NOUN: &'static str = "signer";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("enabled", "enabled", |signer, _| signer.enabled.into()),
        Column::new("issuer", "issuer", |signer, _| {
            signer.issuer.as_str().into()
        }),
        Column::new("audience", "audience", |signer, _| {
            signer.audience.as_str().into()
        }),
        Column::new("keys", "keys", |signer, _| keys(signer).into()),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "fingerprint",
        "kid",
        "issuer",
        "certPem",
        "commonName",
        "notAfter",
        "notBefore",
        "enabled",
        "claimsProperty",
        "useExternalId",
        "audience",
        "clientId",
        "scopes",
        "targetToken",
        "enrollToCertEnabled",
        "enrollToTokenEnabled",
        "enrollAttributeClaimsSelector",
        "enrollNameClaimsSelector",
        "enrollAuthPolicyId",
    ];

    fn base(&self) -> Option<&Base<SignerId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let claimed = if self.use_external_id {
            "external id"
        } else {
            "id"
        };
        let scopes = self.scopes.iter().flatten().map(String::as_str);
        let scopes: Vec<_> = scopes.collect();
        table
            .property("enabled", yes_or_no(self.enabled))
            .property("issuer", &self.issuer)
            .property("audience", &self.audience)
            .property("keys", keys(self))
            .property("key id", text(&self.kid))
            .property(
                "identity",
                format!("{claimed} in claim {}", self.claims_property),
            )
            .property("log in at", text(&self.external_auth_url))
            .property("client id", text(&self.client_id))
            .property("scopes", scopes.join(", "))
            .property("token", self.target_token.to_lowercase())
            .property("enrollment", enrollment(self))
    }
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
