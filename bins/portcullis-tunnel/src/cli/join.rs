//! Arguments of all commands that join the network.

use clap::{Args, ValueHint};
use jiff::SignedDuration;
use std::path::PathBuf;
use std::time::Duration;

/// How the network is joined.
#[derive(Debug, Args)]
pub(crate) struct JoinArgs {
    /// Identity file, such as `enroll` and OpenZiti's programs write it
    #[arg(
        short,
        long,
        value_name = "FILE",
        env = "PORTCULLIS_TUNNEL_IDENTITY",
        value_hint = ValueHint::FilePath
    )]
    pub(crate) identity: PathBuf,

    /// Command that prints a TOTP code, for logins that need one; without it, the code is asked for at the
    /// terminal
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub(crate) mfa_code_command: Option<String>,

    /// How long a flow of UDP datagrams may be idle before it ends
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "5m",
        value_parser = duration
    )]
    pub(crate) udp_idle_timeout: Duration,
}

fn duration(text: &str) -> Result<Duration, String> {
    let parsed = text.parse::<SignedDuration>().ok();
    let parsed = parsed.and_then(|duration| Duration::try_from(duration).ok());
    parsed
        .filter(|duration| *duration >= Duration::from_secs(1))
        .ok_or_else(|| "it is a number with a unit, 1s at least, such as `30s` or `5m`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h"), Ok(Duration::from_hours(1)));
        for refused in ["", "5", "-1m", "0s", "10ms", "soon"] {
            assert!(duration(refused).is_err(), "{refused}");
        }
    }
}
