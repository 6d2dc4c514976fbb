//! Table view of authentication policies.

use crate::column::Column;
use crate::entity::{EntityKind, Named};
use crate::names::Names;
use crate::table::{self, Table};
use portcullis_api::auth_policy::{AuthPolicyDetail, CertRules, ExtJwtRules, Secondary, UpdbRules};
use portcullis_api::entity::Base;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;
use portcullis_client::Client;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{AuthPolicyId, SignerId};

impl Named for AuthPolicyDetail {
    fn name(&self) -> &str {
        &self.name
    }
}

impl EntityKind for AuthPolicyDetail {
    const COMMAND: &'static str = "auth-policy";
    const SINGULAR: &'static str = "authentication policy";
    const PLURAL: &'static str = "authentication policies";
    const SHORT_NOUN: &'static str = "policy";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::new("cert", "certificate", |policy, _| {
            policy.primary.cert.allowed.into()
        }),
        Column::new("updb", "password", |policy, _| {
            policy.primary.updb.allowed.into()
        }),
        Column::new("extJwt", "jwt", |policy, _| {
            policy.primary.ext_jwt.allowed.into()
        }),
        Column::new("requireTotp", "totp", |policy, _| {
            policy.secondary.require_totp.into()
        }),
    ];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "primary.cert.allowed",
        "primary.cert.allowExpiredCerts",
        "primary.updb.allowed",
        "primary.updb.minPasswordLength",
        "primary.updb.requireSpecialChar",
        "primary.updb.requireNumberChar",
        "primary.updb.requireMixedCase",
        "primary.updb.maxAttempts",
        "primary.extJwt.allowed",
        "secondary.requireTotp",
        "secondary.requireExtJwtSigner",
    ];

    fn base(&self) -> Option<&Base<AuthPolicyId>> {
        Some(&self.base)
    }

    fn add_properties(&self, table: Table, _now: Timestamp) -> Table {
        table
            .property("certificate", certificate(self.primary.cert))
            .property("password", password(self.primary.updb))
    }

    async fn fetch_names(&self, client: &Client) -> Names {
        let signers = self.primary.ext_jwt.allowed_signers.iter();
        let signers = signers.chain(&self.secondary.require_ext_jwt_signer);
        let ids: Vec<_> = signers.map(SignerId::as_str).collect();
        Names::fetch::<ExternalJwtSignerDetail>(client, &ids).await
    }

    fn add_references(&self, table: Table, names: &Names) -> Table {
        table
            .property("external JWT", ext_jwt(&self.primary.ext_jwt, names))
            .property("second factor", secondary(&self.secondary, names))
    }
}

fn certificate(rules: CertRules) -> &'static str {
    match (rules.allowed, rules.allow_expired_certs) {
        (false, _) => "no",
        (true, false) => "yes",
        (true, true) => "yes, including expired ones",
    }
}

fn password(rules: UpdbRules) -> String {
    if !rules.allowed {
        return "no".to_owned();
    }
    let length = table::pluralize(
        to_usize(rules.min_password_length),
        "character",
        "characters",
    );
    let mut parts = vec![format!("yes, at least {length}")];
    for (is_needed, what) in [
        (rules.require_mixed_case, "letters of both cases"),
        (rules.require_number_char, "a digit"),
        (rules.require_special_char, "a special character"),
    ] {
        if is_needed {
            parts.push(format!("with {what}"));
        }
    }
    if rules.max_attempts > 0 {
        let attempts = table::pluralize(
            to_usize(rules.max_attempts),
            "wrong password",
            "wrong passwords",
        );
        let end = match rules.lockout_duration_minutes {
            0 => "until unlocked".to_owned(),
            minutes => format!(
                "for {}",
                table::pluralize(to_usize(minutes), "minute", "minutes")
            ),
        };
        parts.push(format!("locked out after {attempts} {end}"));
    }
    parts.join(", ")
}

fn ext_jwt(rules: &ExtJwtRules, names: &Names) -> String {
    if !rules.allowed {
        return "no".to_owned();
    }
    let signers = rules.allowed_signers.iter().map(SignerId::as_str);
    let signers = names.of_all(signers);
    if signers.is_empty() {
        "yes, of any enabled signer".to_owned()
    } else {
        format!("yes, of {signers}")
    }
}

fn secondary(rules: &Secondary, names: &Names) -> String {
    let mut parts = Vec::new();
    if rules.require_totp {
        parts.push("a TOTP code".to_owned());
    }
    if let Some(signer) = &rules.require_ext_jwt_signer {
        parts.push(format!("a JWT of {}", names.of(signer.as_str())));
    }
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

fn to_usize(count: u32) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity as _;
    use crate::render::Render as _;
    use serde_json::json;

    #[test]
    fn policy_is_told_in_words() {
        let policy = json!({
            "_links": {"self": {"href": "./auth-policies/p1"}},
            "createdAt": "2031-04-05T06:07:08.009Z",
            "updatedAt": "2031-04-05T06:07:08.009Z",
            "id": "p1",
            "name": "strict",
            "primary": {
                "cert": {"allowExpiredCerts": true, "allowed": true},
                "extJwt": {"allowed": true, "allowedSigners": ["s1", "s2"]},
                "updb": {"allowed": false, "lockoutDurationMinutes": 0, "maxAttempts": 0,
                    "minPasswordLength": 5, "requireMixedCase": false,
                    "requireNumberChar": false, "requireSpecialChar": false},
            },
            "secondary": {"requireExtJwtSigner": "s3", "requireTotp": true},
        });
        let policy: AuthPolicyDetail = serde_json::from_value(policy).unwrap();
        let shown = policy
            .table(Timestamp::UNIX_EPOCH, &Names::default())
            .render(None);
        for words in [
            "strict\n",
            "yes, including expired ones\n",
            "yes, of s1, s2\n",
            "a TOTP code, a JWT of s3\n",
        ] {
            assert!(shown.contains(words), "{shown}");
        }
    }

    #[test]
    fn rules_on_passwords_are_told() {
        let mut rules = UpdbRules {
            allowed: true,
            lockout_duration_minutes: 0,
            max_attempts: 0,
            min_password_length: 5,
            require_mixed_case: false,
            require_number_char: false,
            require_special_char: false,
        };
        assert_eq!(password(rules), "yes, at least 5 characters");
        rules.require_number_char = true;
        rules.max_attempts = 3;
        assert_eq!(
            password(rules),
            "yes, at least 5 characters, with a digit, locked out after 3 wrong passwords until unlocked"
        );
        rules.lockout_duration_minutes = 1;
        assert!(password(rules).ends_with("for 1 minute"));
        rules.allowed = false;
        assert_eq!(password(rules), "no");
    }
}
