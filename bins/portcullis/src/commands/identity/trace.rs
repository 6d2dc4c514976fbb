//! `portcullis identity trace`.

use crate::commands::expiry::duration;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::table::Table;
use crate::{resolve, words};
use clap::Args;
use jiff::SignedDuration;
use portcullis_api::identity::IdentityDetail;
use portcullis_api::time::WireTime;
use portcullis_api::trace::{TraceDetail, TraceIdentity};
use portcullis_domain::trace::TraceSpec;

const EXAMPLES: &str = "\
A new trace replaces the previous one. It is kept in memory: a restart of the
controller ends it. Routers report on the traffic, but they are not told yet,
because this controller has no control channel to them.

Examples:
  portcullis identity trace laptop
  portcullis identity trace laptop --for 1h30m --trace-id ticket-4711
  portcullis identity trace laptop --off";

/// Arguments of `identity trace`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    /// Id or name of the identity
    identity: String,

    /// For how long, for example `90s` or `1h30m`
    #[arg(
        long = "for",
        value_name = "DURATION",
        default_value = "10m",
        value_parser = duration,
        allow_hyphen_values = true
    )]
    duration: SignedDuration,

    /// Id by which reports are found; the controller generates one if left out
    #[arg(long, value_name = "TEXT", value_parser = words::not_blank)]
    trace_id: Option<String>,

    /// Kind of channels to trace; can be given several times, and stands for all if left out
    #[arg(long = "channel", value_name = "NAME", value_parser = words::not_blank)]
    channels: Vec<String>,

    /// End the tracing
    #[arg(long, conflicts_with_all = ["duration", "trace_id", "channels"])]
    off: bool,
}

impl TraceArgs {
    fn body(self) -> TraceIdentity {
        let spec = (!self.off).then(|| TraceSpec {
            id: self.trace_id,
            duration: self.duration,
            channels: self.channels.into_iter().collect(),
        });
        TraceIdentity { spec }
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: TraceArgs,
) -> Result<(), CliError> {
    let identity: IdentityDetail = resolve::one(&session.client, &arguments.identity).await?;
    let id = &identity.base.id;
    let trace = session.client.trace_identity(id, &arguments.body()).await?;
    context.output.result(&trace, || table(&identity, &trace))
}

/// Writes how an identity is traced for people.
fn table(identity: &IdentityDetail, trace: &TraceDetail) -> Table {
    let until = trace.until.filter(|_| trace.enabled);
    Table::of_properties()
        .property("identity", &identity.name)
        .property("traced", words::yes(trace.enabled))
        .property("trace id", trace.trace_id.as_deref().unwrap_or_default())
        .property(
            "until",
            until.as_ref().map_or_else(String::new, WireTime::to_string),
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use serde_json::json;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        trace: TraceArgs,
    }

    fn body(line: &str) -> Result<serde_json::Value, clap::Error> {
        let words = std::iter::once("trace").chain(line.split_whitespace());
        let body = Line::try_parse_from(words)?.trace.body();
        Ok(serde_json::to_value(body).unwrap())
    }

    #[test]
    fn tracing_lasts_ten_minutes_unless_told_otherwise() {
        for (line, expected) in [
            ("a", json!({"enabled": true, "duration": "600s"})),
            (
                "a --for 1h30m --trace-id t --channel b --channel a",
                json!({"enabled": true, "duration": "5400s", "traceId": "t", "channels": ["a", "b"]}),
            ),
            ("a --off", json!({"enabled": false})),
        ] {
            assert_eq!(body(line).unwrap(), expected, "{line}");
        }
        for line in [
            "",
            "a --for 0s",
            "a --for -1m",
            "a --for soon",
            "a --off --for 5m",
            "a --off --channel b",
        ] {
            assert!(body(line).is_err(), "{line}");
        }
    }
}
