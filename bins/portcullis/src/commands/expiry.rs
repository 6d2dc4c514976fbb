//! Lifetime of enrollment tokens.

use crate::context::Context;
use crate::error::CliError;
use clap::Args;
use jiff::SignedDuration;
use portcullis_api::time::WireTime;

/// Lifetime of enrollment tokens.
#[derive(Debug, Clone, Args)]
pub(crate) struct ExpiryArgs {
    /// Lifetime of the token, for example `90m` or `48h`
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "3h",
        value_parser = parse_duration,
        allow_hyphen_values = true
    )]
    expires_in: SignedDuration,
}

impl ExpiryArgs {
    /// Expiry time from now.
    pub(crate) fn expires_at(&self, context: &Context) -> Result<WireTime, CliError> {
        let end = context.now().checked_add(self.expires_in);
        end.map(WireTime::from)
            .map_err(|_overflow| CliError::usage("the duration is too long"))
    }
}

/// Parses a positive duration.
pub(crate) fn parse_duration(text: &str) -> Result<SignedDuration, String> {
    let duration: SignedDuration = text.parse().map_err(|_unreadable: jiff::Error| {
        "a duration is a number with a unit, such as `90m` or `48h`".to_owned()
    })?;
    if duration > SignedDuration::ZERO {
        Ok(duration)
    } else {
        Err("must be longer than 0".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        for (text, minutes) in [("90m", 90), ("48h", 2880), ("1h 30m", 90), ("PT2H", 120)] {
            assert_eq!(
                parse_duration(text),
                Ok(SignedDuration::from_mins(minutes)),
                "{text}"
            );
        }
        for text in ["", "soon", "0s", "-1h", "5"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
