//! The rules of authentication policies, as arguments.

use crate::commands::document;
use crate::error::CliError;
use crate::resolve;
use crate::words;
use clap::{Args, ValueEnum};
use portcullis_api::auth_policy::MergeAuthPolicy;
use portcullis_api::signer::SignerDetail;
use portcullis_client::Client;
use portcullis_domain::auth_policy::{AuthPolicyPatch, CertPatch, UpdbPatch};
use portcullis_domain::ids::SignerId;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What a policy says, as far as it is given.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct RuleArgs {
    /// Read rules from a JSON file, or from the standard input for `-`, in the form in which `show
    /// --output json` writes them; other arguments go before it
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Whether identities may log in with certificates
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    cert: Option<Way>,

    /// Whether they may log in with expired certificates too
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    expired_certs: Option<Way>,

    /// Whether identities may log in with username and password
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    updb: Option<Way>,

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

    /// Wrong passwords in a row before the identity is locked; 0 for no limit
    #[arg(long, value_name = "NUMBER")]
    max_attempts: Option<u32>,

    /// For how many minutes it is locked; 0 until an administrator unlocks it
    #[arg(long, value_name = "MINUTES")]
    lockout_minutes: Option<u32>,

    /// Whether JWTs of external signers are a way in
    #[arg(
        long,
        value_name = "allow|deny",
        value_enum,
        hide_possible_values = true
    )]
    ext_jwt: Option<Way>,

    /// Signers whose JWTs are accepted, by id or name, separated by commas; empty for all that are
    /// enabled
    #[arg(long, value_name = "SIGNERS")]
    signers: Option<String>,

    /// Whether a TOTP code is required as well
    #[arg(long, value_name = "true|false")]
    require_totp: Option<bool>,

    /// The signer, by id or name, of a JWT that is required as well; empty for none
    #[arg(long, value_name = "SIGNER", value_parser = one_or_none)]
    require_ext_jwt: Option<String>,
}

/// Fewest characters that any policy asks of a password.
const SHORTEST: u32 = 5;

/// The members of a policy as it is shown; those of `primary` and `secondary` by their paths.
const KNOWN: &[&str] = &[
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

/// Whether something is a way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    Allow,
    Deny,
}

impl RuleArgs {
    /// What the file and the arguments change, if anything.
    pub(super) async fn patch(&self, client: &Client) -> Result<AuthPolicyPatch, CliError> {
        let mut patch = match &self.from {
            Some(path) => document::read_known::<MergeAuthPolicy>(path, KNOWN)?.patch,
            None => AuthPolicyPatch::default(),
        };
        self.lay_over(&mut patch);
        // A controller would take more than was asked for, without a word.
        if patch.primary.updb.min_password_length < Some(SHORTEST)
            && patch.primary.updb.min_password_length.is_some()
        {
            return Err(CliError::usage(format!(
                "primary.updb.minPasswordLength: must be at least {SHORTEST}"
            )));
        }
        if let Some(words) = &self.signers {
            patch.primary.ext_jwt.allowed_signers = Some(signers(client, words).await?);
        }
        if let Some(word) = &self.require_ext_jwt {
            let required = signers(client, word).await?;
            patch.secondary.require_ext_jwt_signer = Some(required.into_iter().next());
        }
        Ok(patch)
    }

    /// Changes what needs no look at the controller.
    fn lay_over(&self, patch: &mut AuthPolicyPatch) {
        let CertPatch {
            allowed,
            allow_expired_certs,
        } = &mut patch.primary.cert;
        lay(allowed, is_allowed(self.cert));
        lay(allow_expired_certs, is_allowed(self.expired_certs));
        self.lay_over_passwords(&mut patch.primary.updb);
        lay(&mut patch.primary.ext_jwt.allowed, is_allowed(self.ext_jwt));
        lay(&mut patch.secondary.require_totp, self.require_totp);
    }

    fn lay_over_passwords(&self, patch: &mut UpdbPatch) {
        lay(&mut patch.allowed, is_allowed(self.updb));
        lay(&mut patch.min_password_length, self.min_password_length);
        lay(&mut patch.require_mixed_case, self.require_mixed_case);
        lay(&mut patch.require_number_char, self.require_number);
        lay(&mut patch.require_special_char, self.require_special);
        lay(&mut patch.max_attempts, self.max_attempts);
        lay(&mut patch.lockout_duration_minutes, self.lockout_minutes);
    }
}

/// Replaces what was there by what is given, if anything is.
fn lay<T>(place: &mut Option<T>, given: Option<T>) {
    if given.is_some() {
        *place = given;
    }
}

fn is_allowed(way: Option<Way>) -> Option<bool> {
    way.map(|way| way == Way::Allow)
}

/// Takes one name, or nothing.
fn one_or_none(text: &str) -> Result<String, String> {
    match words::between_commas(text).len() {
        1 => Ok(text.to_owned()),
        0 if text.trim().is_empty() => Ok(String::new()),
        _ => Err("give one signer, or an empty value for none".to_owned()),
    }
}

/// The signers that are called by these words.
async fn signers(client: &Client, words: &str) -> Result<BTreeSet<SignerId>, CliError> {
    let mut ids = BTreeSet::new();
    for word in words::between_commas(words) {
        let signer: SignerDetail = resolve::one(client, &word).await?;
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

    fn over(patch: &mut AuthPolicyPatch, line: &str) {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().rules.lay_over(patch);
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
        let mut patch = AuthPolicyPatch::default();
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
