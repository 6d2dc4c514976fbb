//! Checks of TOTP codes, as arguments.

use super::question::{Question, refused};
use crate::error::CliError;
use crate::table::Table;
use crate::words::only_yes;
use clap::Args;
use clap::builder::BoolishValueParser;
use jiff::SignedDuration;
use portcullis_api::posture_check::MfaBody;
use portcullis_domain::posture_check::{Check, CheckPatch, MfaCheck, MfaPatch};

/// When a code is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct MfaArgs {
    /// How long a code is valid, for example `15m`; `0s` for as long as the session lasts, as in
    /// a new check
    #[arg(short = 'g', long, value_name = "DURATION", value_parser = seconds)]
    good_for: Option<i64>,

    /// Whether a new code is required after the machine wakes up
    #[arg(
        short = 'w',
        long,
        value_name = "true|false",
        value_parser = BoolishValueParser::new()
    )]
    after_waking: Option<bool>,

    /// Whether a new code is required after the machine is unlocked
    #[arg(
        short = 'u',
        long,
        value_name = "true|false",
        value_parser = BoolishValueParser::new()
    )]
    after_unlocking: Option<bool>,

    /// Whether clients that cannot ask for codes again are told of nothing but the first one
    #[arg(long, value_name = "true|false", value_parser = BoolishValueParser::new())]
    ignore_legacy: Option<bool>,
}

/// Reads how long something lasts, in seconds.
fn seconds(text: &str) -> Result<i64, String> {
    let unreadable =
        |_: jiff::Error| "a duration is a number with a unit, such as `90s` or `15m`".to_owned();
    let duration: SignedDuration = text.parse().map_err(unreadable)?;
    if duration.subsec_nanos() != 0 || duration.is_negative() {
        return Err("it must be a whole number of seconds, 0 or more".to_owned());
    }
    Ok(duration.as_secs())
}

impl MfaArgs {
    fn patch(&self) -> Result<MfaPatch, CliError> {
        let timeout = self.good_for.map(MfaCheck::timeout).transpose();
        Ok(MfaPatch {
            timeout_seconds: timeout.map_err(|error| refused("--good-for", error))?,
            prompt_on_wake: self.after_waking,
            prompt_on_unlock: self.after_unlocking,
            ignore_legacy_endpoints: self.ignore_legacy,
        })
    }
}

impl Question for MfaArgs {
    const CREATE: &'static str = "\
Users who are not enrolled yet run `portcullis mfa enroll`; until then they see the service, but
cannot connect.

Examples:
  portcullis posture-check create mfa code
  portcullis posture-check create mfa recent-code --good-for 15m --after-waking true";
    const UPDATE: &'static str = "\
Examples:
  portcullis posture-check update mfa recent-code --good-for 1h --after-unlocking true
  portcullis posture-check update mfa recent-code --good-for 0s      once in a session";
    const HOW: &'static str = "--good-for DURATION";

    fn check(&self) -> Result<Option<Check>, CliError> {
        let patch = self.patch()?;
        Ok(Some(Check::Mfa(MfaCheck {
            timeout_seconds: patch.timeout_seconds.flatten(),
            prompt_on_wake: patch.prompt_on_wake.unwrap_or_default(),
            prompt_on_unlock: patch.prompt_on_unlock.unwrap_or_default(),
            ignore_legacy_endpoints: patch.ignore_legacy_endpoints.unwrap_or_default(),
        })))
    }

    fn change(&self) -> Result<CheckPatch, CliError> {
        self.patch().map(CheckPatch::Mfa)
    }
}

/// For how long a code will do.
fn good_for(mfa: &MfaBody) -> String {
    if mfa.timeout_seconds <= 0 {
        return "the session".to_owned();
    }
    format!("{:#}", SignedDuration::from_secs(mfa.timeout_seconds))
}

/// Writes what is asked in one line.
pub(super) fn shown(mfa: &MfaBody) -> String {
    let mut words = vec![format!("good for {}", good_for(mfa))];
    if mfa.prompt_on_wake {
        words.push("asked after waking".to_owned());
    }
    if mfa.prompt_on_unlock {
        words.push("asked after unlocking".to_owned());
    }
    words.join(", ")
}

/// Writes what is asked in lines of their own.
pub(super) fn properties(mfa: &MfaBody, table: Table) -> Table {
    table
        .property("good for", good_for(mfa))
        .property("after waking", only_yes(mfa.prompt_on_wake))
        .property("after unlocking", only_yes(mfa.prompt_on_unlock))
        .property("ignore legacy", only_yes(mfa.ignore_legacy_endpoints))
}
