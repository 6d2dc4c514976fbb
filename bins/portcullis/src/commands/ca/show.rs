//! Table view of CAs.

use crate::column::Column;
use crate::entity::{EntityKind, Named};
use crate::shell;
use crate::table::Table;
use crate::text::yes_or_no;
use portcullis_api::ca::{CaDetail, ExternalIdClaimDetail};
use portcullis_api::entity::Base;
use portcullis_domain::ca::{ClaimLocation, ClaimMatcher, ClaimParser};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CaId;

impl Named for CaDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for CaDetail {
    const COMMAND: &'static str = "ca";
    const SINGULAR: &'static str = "CA";
    const PLURAL: &'static str = "CAs";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("isVerified", "verified", |ca, _| ca.is_verified.into()),
        Column::new("isAuthEnabled", "auth", |ca, _| ca.is_auth_enabled.into()),
        Column::new("isOttCaEnrollmentEnabled", "ottca", |ca, _| {
            ca.is_ott_ca_enrollment_enabled.into()
        }),
        Column::new("isAutoCaEnrollmentEnabled", "autoca", |ca, _| {
            ca.is_auto_ca_enrollment_enabled.into()
        }),
        Column::new("fingerprint", "fingerprint", |ca, _| {
            ca.fingerprint.as_str().into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "fingerprint",
        "isVerified",
        "verificationToken",
        "isAutoCaEnrollmentEnabled",
        "isOttCaEnrollmentEnabled",
        "isAuthEnabled",
    ];

    fn base(&self) -> Option<&Base<CaId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        let roles = self.identity_roles.as_ref();
        let roles: Vec<_> = roles
            .map(|roles| roles.iter().collect())
            .unwrap_or_default();
        let claim = self.external_id_claim.as_ref();
        table
            .property("certificate", format!("SHA-1 {}", self.fingerprint))
            .property("verified", yes_or_no(self.is_verified))
            .property("login", yes_or_no(self.is_auth_enabled))
            .property(
                "token enrollment",
                yes_or_no(self.is_ott_ca_enrollment_enabled),
            )
            .property(
                "auto enrollment",
                yes_or_no(self.is_auto_ca_enrollment_enabled),
            )
            .property("identity names", &self.identity_name_format)
            .property("identity attributes", roles.join(", "))
            .property("external id", claim.map(describe_claim).unwrap_or_default())
    }

    fn add_final_properties(&self, table: Table, _now: Timestamp) -> Table {
        if self.is_verified {
            return table;
        }
        let name = shell::quote(&self.name);
        table
            .property("verification token", &self.verification_token)
            .next(Some(format!("portcullis ca verify {name} --ca-key FILE")))
    }
}

/// Describes the location of the external id.
fn describe_claim(claim: &ExternalIdClaimDetail) -> String {
    let place = match claim.location {
        ClaimLocation::CommonName => "common name",
        ClaimLocation::SanUri => "URI",
        ClaimLocation::SanEmail => "email address",
    };
    let criteria = &claim.matcher_criteria;
    let matched = match claim.matcher {
        ClaimMatcher::All => String::new(),
        ClaimMatcher::Prefix => format!(" with the prefix `{criteria}` stripped"),
        ClaimMatcher::Suffix => format!(" with the suffix `{criteria}` stripped"),
        ClaimMatcher::Scheme => format!(" with the scheme `{criteria}`"),
    };
    let split = match claim.parser {
        ClaimParser::None => String::new(),
        ClaimParser::Split => format!(", split at `{}`", claim.parser_criteria),
    };
    format!("{place}{matched}{split}, index {}", claim.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity as _;
    use crate::names::Names;
    use crate::render::Render as _;
    use serde_json::json;

    #[test]
    fn authority_is_told_in_words() {
        let mut ca = json!({
            "_links": {}, "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z", "id": "c1", "name": "the factory",
            "certPem": "PEM", "fingerprint": "ab01", "identityNameFormat": "[commonName]",
            "identityRoles": ["sensors"], "isAuthEnabled": true,
            "isAutoCaEnrollmentEnabled": false, "isOttCaEnrollmentEnabled": true,
            "isVerified": false, "verificationToken": "5ecret",
            "externalIdClaim": {"index": 1, "location": "SAN_EMAIL", "matcher": "SUFFIX",
                "matcherCriteria": "@x.test", "parser": "SPLIT", "parserCriteria": "."},
        });
        let shown = |ca: &serde_json::Value| {
            let ca: CaDetail = serde_json::from_value(ca.clone()).unwrap();
            ca.table(Timestamp::UNIX_EPOCH, &Names::default())
                .render(None)
        };
        let unverified = shown(&ca);
        for words in [
            "email address with the suffix `@x.test` stripped, split at `.`, index 1\n",
            "verification token:   5ecret\n",
            "next: portcullis ca verify 'the factory' --ca-key FILE\n",
        ] {
            assert!(unverified.contains(words), "{unverified}");
        }
        ca["isVerified"] = json!(true);
        ca["identityRoles"].take();
        let verified = shown(&ca);
        assert!(!verified.contains("5ecret") && !verified.contains("sensors"));
    }
}
