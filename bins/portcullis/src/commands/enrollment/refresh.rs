//! `portcullis enrollment refresh`.

use super::show;
use crate::commands::token_file::TokenArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use jiff::SignedDuration;
use portcullis_api::enrollment::EnrollmentRefresh;
use portcullis_domain::ids::EnrollmentId;

const EXAMPLES: &str = "\
The old token is worth nothing afterwards.

Examples:
  portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt
  portcullis enrollment refresh Yb0Dk.7vQ --expires-in 48h --output-jwt laptop.jwt";

/// Arguments of `enrollment refresh`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RefreshArgs {
    /// Id of the enrollment, as `enrollment list` shows it
    id: String,

    /// How long the new token lasts, for example `90m` or `48h`
    #[arg(long, value_name = "DURATION", default_value = "3h", value_parser = duration)]
    expires_in: SignedDuration,

    #[command(flatten)]
    token: TokenArgs,
}

impl RefreshArgs {
    pub(super) fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }
}

/// Reads how long something lasts.
fn duration(text: &str) -> Result<SignedDuration, String> {
    let duration: SignedDuration = text.parse().map_err(|_unreadable: jiff::Error| {
        "a duration is a number with a unit, such as `90m` or `48h`".to_owned()
    })?;
    if duration > SignedDuration::ZERO {
        Ok(duration)
    } else {
        Err("it must be longer than nothing".to_owned())
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: RefreshArgs,
) -> Result<(), CliError> {
    let end = context.now().checked_add(arguments.expires_in);
    let end = end.map_err(|_overflow| CliError::usage("the token would last for too long"))?;
    let destination = arguments.token.prepare()?;
    let id = EnrollmentId::from_wire(arguments.id);
    let body = EnrollmentRefresh {
        expires_at: end.into(),
    };
    session.client.refresh_enrollment(&id, &body).await?;
    let enrollment = session.client.enrollment(&id).await?;
    show::deliver(context, destination, &enrollment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, minutes) in [("90m", 90), ("48h", 2880), ("1h 30m", 90), ("PT2H", 120)] {
            assert_eq!(
                duration(text),
                Ok(SignedDuration::from_mins(minutes)),
                "{text}"
            );
        }
        for text in ["", "soon", "0s", "-1h", "5"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
