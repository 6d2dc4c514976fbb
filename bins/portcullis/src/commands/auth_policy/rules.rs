//! Rules of authentication policies, as arguments.

use crate::commands::document;
use crate::completion::Values;
use crate::error::CliError;
use crate::resolve;
use crate::text;
use clap::{Args, ValueEnum};
use portcullis_api::auth_policy::AuthPolicyPatch;
use portcullis_api::external_jwt_signer::ExternalJwtSignerDetail;
use portcullis_client::Client;
use portcullis_domain::auth_policy::{AuthPolicySpecPatch, CertPatch, UpdbPatch};
use portcullis_domain::ids::SignerId;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Rules of an authentication policy.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleArgs {
    /// Read rules from a JSON file, or standard input for `-`, as written by `show --output json`;
    /// other options override it
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Whether identities may log in with certificates
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    cert: Option<AllowDeny>,

    /// Whether expired certificates are accepted too
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    expired_certs: Option<AllowDeny>,

    /// Whether identities may log in with username and password
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    updb: Option<AllowDeny>,

    /// Minimum length of passwords, from 5 to 100
    #[arg(
        long,
        value_name = "NUMBER",
        value_parser = clap::value_parser!(u32).range(5..=100),
        allow_hyphen_values = true
    )]
    min_password_length: Option<u32>,

    /// Whether passwords need upper-case and lower-case letters
    #[arg(long, value_name = "true|false")]
    require_mixed_case: Option<bool>,

    /// Whether passwords need a digit
    #[arg(long, value_name = "true|false")]
    require_number: Option<bool>,

    /// Whether passwords need a character that is neither a letter nor a digit
    #[arg(long, value_name = "true|false")]
    require_special: Option<bool>,

    /// Consecutive wrong passwords before the identity is locked out; 0 for no limit
    #[arg(long, value_name = "NUMBER")]
    max_attempts: Option<u32>,

    /// Duration of the lockout in minutes; 0 until an administrator unlocks the identity
    #[arg(long, value_name = "MINUTES")]
    lockout_minutes: Option<u32>,

    /// Whether identities may log in with JWTs of external signers
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    ext_jwt: Option<AllowDeny>,

    /// Comma-separated ids or names of the signers whose JWTs are accepted; empty for all enabled
    /// signers
    #[arg(long, value_name = "SIGNERS", add = Values::list::<ExternalJwtSignerDetail>())]
    signers: Option<String>,

    /// Whether a TOTP code is also required
    #[arg(long, value_name = "true|false")]
    require_totp: Option<bool>,

    /// Id or name of a signer whose JWT is also required; empty for none
    #[arg(long, value_name = "SIGNER", value_parser = parse_optional_signer, add = Values::one::<ExternalJwtSignerDetail>())]
    require_ext_jwt: Option<String>,
}

/// Lowest minimum password length of any policy.
const MIN_PASSWORD_LENGTH: u32 = 5;

/// Members of a policy as `show` prints it; those of `primary` and `secondary` by path.
const KNOWN_MEMBERS: &[&str] = &[
    "_links",
    "createdAt",
    "id",
    "name",
    "primary",
    "primary.cert",
    "primary.cert.allowExpiredCerts",
    "primary.cert.allowed",
    "primary.extJwt",
    "primary.extJwt.allowed",
    "primary.extJwt.allowedSigners",
    "primary.updb",
    "primary.updb.allowed",
    "primary.updb.lockoutDurationMinutes",
    "primary.updb.maxAttempts",
    "primary.updb.minPasswordLength",
    "primary.updb.requireMixedCase",
    "primary.updb.requireNumberChar",
    "primary.updb.requireSpecialChar",
    "secondary",
    "secondary.requireExtJwtSigner",
    "secondary.requireTotp",
    "tags",
    "updatedAt",
];

/// `allow` or `deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AllowDeny {
    Allow,
    Deny,
}

impl RuleArgs {
    /// The changes of the file and the arguments.
    pub(super) async fn patch(&self, client: &Client) -> Result<AuthPolicySpecPatch, CliError> {
        let mut patch = match &self.from {
            Some(path) => document::read_json::<AuthPolicyPatch>(path, KNOWN_MEMBERS)?.patch,
            None => AuthPolicySpecPatch::default(),
        };
        self.apply_to(&mut patch);
        // Controllers silently raise lower values.
        if patch.primary.updb.min_password_length < Some(MIN_PASSWORD_LENGTH)
            && patch.primary.updb.min_password_length.is_some()
        {
            return Err(CliError::usage(format!(
                "primary.updb.minPasswordLength: must be at least {MIN_PASSWORD_LENGTH}"
            )));
        }
        if let Some(words) = &self.signers {
            patch.primary.ext_jwt.allowed_signers = Some(resolve_signers(client, words).await?);
        }
        if let Some(word) = &self.require_ext_jwt {
            let required = resolve_signers(client, word).await?;
            patch.secondary.require_ext_jwt_signer = Some(required.into_iter().next());
        }
        Ok(patch)
    }

    /// Applies the arguments that need no lookup on the controller.
    fn apply_to(&self, patch: &mut AuthPolicySpecPatch) {
        let CertPatch {
            allowed,
            allow_expired_certs,
        } = &mut patch.primary.cert;
        set_if_given(allowed, is_allowed(self.cert));
        set_if_given(allow_expired_certs, is_allowed(self.expired_certs));
        self.apply_password_rules(&mut patch.primary.updb);
        set_if_given(&mut patch.primary.ext_jwt.allowed, is_allowed(self.ext_jwt));
        set_if_given(&mut patch.secondary.require_totp, self.require_totp);
    }

    fn apply_password_rules(&self, patch: &mut UpdbPatch) {
        set_if_given(&mut patch.allowed, is_allowed(self.updb));
        set_if_given(&mut patch.min_password_length, self.min_password_length);
        set_if_given(&mut patch.require_mixed_case, self.require_mixed_case);
        set_if_given(&mut patch.require_number_char, self.require_number);
        set_if_given(&mut patch.require_special_char, self.require_special);
        set_if_given(&mut patch.max_attempts, self.max_attempts);
        set_if_given(&mut patch.lockout_duration_minutes, self.lockout_minutes);
    }
}

/// Sets `place` if a value is given.
fn set_if_given<T>(place: &mut Option<T>, given: Option<T>) {
    if given.is_some() {
        *place = given;
    }
}

fn is_allowed(way: Option<AllowDeny>) -> Option<bool> {
    way.map(|way| way == AllowDeny::Allow)
}

/// Parses one name, or an empty value.
fn parse_optional_signer(text: &str) -> Result<String, String> {
    match text::split_commas(text).len() {
        1 => Ok(text.to_owned()),
        0 if text.trim().is_empty() => Ok(String::new()),
        _ => Err("give one signer, or an empty value for none".to_owned()),
    }
}

/// Resolves comma-separated signers.
async fn resolve_signers(client: &Client, words: &str) -> Result<BTreeSet<SignerId>, CliError> {
    let mut ids = BTreeSet::new();
    for word in text::split_commas(words) {
        let signer: ExternalJwtSignerDetail = resolve::by_id_or_name(client, &word).await?;
        ids.insert(signer.base.id);
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        rules: RuleArgs,
    }

    fn over(patch: &mut AuthPolicySpecPatch, line: &str) {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().rules.apply_to(patch);
    }

    #[test]
    fn what_would_be_stored_otherwise_is_refused() {
        for line in [
            "--min-password-length 4",
            "--min-password-length -3",
            "--min-password-length 101",
            "--require-ext-jwt a,b",
            "--require-ext-jwt ,",
        ] {
            let words = std::iter::once("x").chain(line.split_whitespace());
            let error = Line::try_parse_from(words).err().unwrap().to_string();
            assert!(error.contains("invalid value"), "{line}: {error}");
        }
    }

    #[test]
    fn arguments_go_before_the_file() {
        let mut patch = AuthPolicySpecPatch::default();
        patch.primary.cert.allowed = Some(true);
        patch.primary.updb.max_attempts = Some(3);
        let before = patch.clone();
        over(&mut patch, "");
        assert_eq!(patch, before, "nothing was given");
        over(
            &mut patch,
            "--cert deny --expired-certs allow --updb allow --min-password-length 12 \
             --require-mixed-case true --require-number false --require-special true \
             --lockout-minutes 5 --ext-jwt deny --require-totp true",
        );
        let updb = patch.primary.updb;
        assert_eq!(patch.primary.cert.allowed, Some(false));
        assert_eq!(patch.primary.cert.allow_expired_certs, Some(true));
        assert_eq!(updb.allowed, Some(true));
        assert_eq!(updb.min_password_length, Some(12));
        assert_eq!(updb.require_mixed_case, Some(true));
        assert_eq!(updb.require_number_char, Some(false));
        assert_eq!(updb.require_special_char, Some(true));
        assert_eq!(updb.max_attempts, Some(3), "it stands in the file alone");
        assert_eq!(updb.lockout_duration_minutes, Some(5));
        assert_eq!(patch.primary.ext_jwt.allowed, Some(false));
        assert_eq!(patch.secondary.require_totp, Some(true));
    }
}
