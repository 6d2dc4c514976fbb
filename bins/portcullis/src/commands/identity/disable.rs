//! `portcullis identity disable` and `portcullis identity enable`.

use crate::commands::entities;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::duration;
use crate::error::CliError;
use crate::table::Table;
use crate::{prompt, resolve};
use clap::Args;
use jiff::SignedDuration;
use portcullis_api::identity::{DisableParams, IdentityDetail};
use portcullis_client::Api;

const DISABLE_EXAMPLES: &str = "\
The sessions of a disabled identity end at once, and it cannot log in or enroll.

Examples:
  portcullis identity disable laptop              # until `identity enable`
  portcullis identity disable laptop --for 30m";

const ENABLE_EXAMPLES: &str = "\
This also ends a lockout after too many wrong passwords.

Examples:
  portcullis identity enable laptop";

/// Disable an identity, for a limited time or until it is enabled
#[derive(Debug, Args)]
#[command(after_long_help = DISABLE_EXAMPLES)]
pub(crate) struct DisableArgs {
    /// Id or name of the identity
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: String,

    /// Duration in whole minutes, for example `30m` or `48h` (default: until it is enabled)
    #[arg(
        long = "for",
        value_name = "DURATION",
        value_parser = duration::parse_positive,
        allow_hyphen_values = true
    )]
    duration: Option<SignedDuration>,

    /// Skip the confirmation prompt before you disable yourself
    #[arg(short, long)]
    yes: bool,
}

/// Enable an identity
#[derive(Debug, Args)]
#[command(after_long_help = ENABLE_EXAMPLES)]
pub(crate) struct EnableArgs {
    /// Id or name of the identity
    #[arg(add = Values::one::<IdentityDetail>())]
    identity: String,
}

impl Verb for DisableArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let body = DisableParams {
            duration_minutes: self.duration.map_or(0, whole_minutes),
        };
        let identity: IdentityDetail =
            resolve::by_id_or_name(&session.client, &self.identity).await?;
        let current = session.client.current_session(Api::Client).await?;
        let is_own = current.identity_id == identity.base.id;
        if is_own && !self.yes {
            confirm_own(&identity.name, self.duration.is_some())?;
        }
        session
            .client
            .disable_identity(&identity.base.id, &body)
            .await?;
        if is_own {
            return report_own(context, identity);
        }
        entities::fetch_and_show::<IdentityDetail>(context, session, &identity.base.id).await
    }
}

impl Verb for EnableArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let identity: IdentityDetail =
            resolve::by_id_or_name(&session.client, &self.identity).await?;
        session.client.enable_identity(&identity.base.id).await?;
        entities::fetch_and_show::<IdentityDetail>(context, session, &identity.base.id).await
    }
}

/// Asks before people shut themselves out.
fn confirm_own(name: &str, is_limited: bool) -> Result<(), CliError> {
    let end = if is_limited {
        "until the time is over, only another administrator can enable you again"
    } else {
        "only another administrator can enable you again"
    };
    let question = format!(
        "`{}` is you. Your sessions end at once, and {end}. Disable yourself?",
        prompt::short_name(name)
    );
    if prompt::confirm(&question, "--yes")? {
        Ok(())
    } else {
        Err(CliError::failed("nothing was changed"))
    }
}

/// Reports that the own identity is disabled, which can no longer be asked for.
fn report_own(context: &Context, identity: IdentityDetail) -> Result<(), CliError> {
    let identity = IdentityDetail {
        disabled: true,
        ..identity
    };
    context.output.write_entity(&identity.name, &identity, || {
        Table::with_properties().footer(format!(
            "Disabled `{}`, and ended your sessions.",
            identity.name
        ))
    })
}

/// Rounds up to whole minutes, the unit of the controller, where 0 means without an end.
fn whole_minutes(duration: SignedDuration) -> i64 {
    let seconds = duration.as_secs() + i64::from(duration.subsec_nanos() > 0);
    seconds / 60 + i64::from(seconds % 60 > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_minutes_count_as_whole_ones() {
        for (text, expected) in [("1s", 1), ("1m", 1), ("61s", 2), ("1m 1ms", 2), ("2h", 120)] {
            assert_eq!(whole_minutes(text.parse().unwrap()), expected, "{text}");
        }
    }
}
