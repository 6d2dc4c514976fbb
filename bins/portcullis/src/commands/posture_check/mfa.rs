//! Posture checks of TOTP codes.

use super::requirement::{Requirement, invalid_requirement};
use crate::duration;
use crate::error::CliError;
use crate::table::Table;
use crate::text::yes_or_empty;
use clap::Args;
use clap::builder::BoolishValueParser;
use jiff::SignedDuration;
use portcullis_api::posture_check::MfaProperties;
use portcullis_domain::posture_check::{Check, CheckPatch, MfaCheck, MfaPatch};

/// Arguments of TOTP checks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct MfaArgs {
    /// How long a code is valid, for example `15m`; `0s` for the whole session, which is the
    /// default of a new check
    #[arg(short = 'g', long, value_name = "DURATION", value_parser = parse_seconds)]
    good_for: Option<i64>,

    /// Whether a new code is required after the device wakes up
    #[arg(
        short = 'w',
        long,
        value_name = "true|false",
        value_parser = BoolishValueParser::new()
    )]
    after_waking: Option<bool>,

    /// Whether a new code is required after the device is unlocked
    #[arg(
        short = 'u',
        long,
        value_name = "true|false",
        value_parser = BoolishValueParser::new()
    )]
    after_unlocking: Option<bool>,

    /// Whether clients that cannot prompt again only need the first code
    #[arg(long, value_name = "true|false", value_parser = BoolishValueParser::new())]
    ignore_legacy: Option<bool>,
}

/// Parses a duration as whole seconds.
fn parse_seconds(text: &str) -> Result<i64, String> {
    let duration = duration::parse(text, "`90s` or `15m`")?;
    if duration.subsec_nanos() != 0 || duration.is_negative() {
        return Err("must be a whole number of seconds, 0 or more".to_owned());
    }
    Ok(duration.as_secs())
}

impl MfaArgs {
    fn patch(&self) -> Result<MfaPatch, CliError> {
        let timeout = self.good_for.map(MfaCheck::parse_timeout).transpose();
        Ok(MfaPatch {
            timeout_seconds: timeout.map_err(|error| invalid_requirement("--good-for", error))?,
            prompt_on_wake: self.after_waking,
            prompt_on_unlock: self.after_unlocking,
            ignore_legacy_endpoints: self.ignore_legacy,
        })
    }
}

impl Requirement for MfaArgs {
    const CREATE_EXAMPLES: &'static str = "\
Users who are not enrolled yet run `portcullis mfa enroll`; until then they see the service, but
cannot connect.

Examples:
  portcullis posture-check create mfa code
  portcullis posture-check create mfa recent-code --good-for 15m --after-waking true";
    const UPDATE_EXAMPLES: &'static str = "\
Examples:
  portcullis posture-check update mfa recent-code --good-for 1h --after-unlocking true
  portcullis posture-check update mfa recent-code --good-for 0s      # once per session";
    const USAGE_HINT: &'static str = "--good-for DURATION";

    fn to_check(&self) -> Result<Option<Check>, CliError> {
        let patch = self.patch()?;
        Ok(Some(Check::Mfa(MfaCheck {
            timeout_seconds: patch.timeout_seconds.flatten(),
            prompt_on_wake: patch.prompt_on_wake.unwrap_or_default(),
            prompt_on_unlock: patch.prompt_on_unlock.unwrap_or_default(),
            ignore_legacy_endpoints: patch.ignore_legacy_endpoints.unwrap_or_default(),
        })))
    }

    fn to_patch(&self) -> Result<CheckPatch, CliError> {
        self.patch().map(CheckPatch::Mfa)
    }
}

/// Validity of a code.
fn display_validity(mfa: &MfaProperties) -> String {
    if mfa.timeout_seconds <= 0 {
        return "the session".to_owned();
    }
    format!("{:#}", SignedDuration::from_secs(mfa.timeout_seconds))
}

/// Formats the requirement in one line.
pub(super) fn display(mfa: &MfaProperties) -> String {
    let mut words = vec![format!("good for {}", display_validity(mfa))];
    if mfa.prompt_on_wake {
        words.push("required after waking".to_owned());
    }
    if mfa.prompt_on_unlock {
        words.push("required after unlocking".to_owned());
    }
    words.join(", ")
}

/// Adds the requirement as properties.
pub(super) fn properties(mfa: &MfaProperties, table: Table) -> Table {
    table
        .property("good for", display_validity(mfa))
        .property("after waking", yes_or_empty(mfa.prompt_on_wake))
        .property("after unlocking", yes_or_empty(mfa.prompt_on_unlock))
        .property("ignore legacy", yes_or_empty(mfa.ignore_legacy_endpoints))
}
