//! Settings of services, as arguments.

use crate::commands::attributes::{AttributesArgs, completed_from};
use crate::commands::configs::ConfigsArgs;
use crate::duration;
use crate::error::CliError;
use clap::Args;
use clap::builder::{BoolishValueParser, PossibleValuesParser};
use portcullis_api::service::{ServiceDetail, ServicePatch};
use portcullis_client::Client;
use portcullis_domain::service::TerminatorStrategy;

/// Settings of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(mut_arg("role_attributes", completed_from::<ServiceDetail>))]
pub(super) struct ServiceArgs {
    #[command(flatten)]
    attributes: AttributesArgs,

    #[command(flatten)]
    configs: ConfigsArgs,

    /// Whether traffic must be encrypted end to end (default for a new service: true)
    #[arg(
        short = 'e',
        long,
        value_name = "true|false",
        value_parser = BoolishValueParser::new()
    )]
    encryption: Option<bool>,

    /// Strategy for choosing a terminator (default for a new service: `smartrouting`)
    #[arg(
        long,
        value_name = "STRATEGY",
        value_parser = PossibleValuesParser::new(TerminatorStrategy::ALL.map(TerminatorStrategy::name))
    )]
    terminator_strategy: Option<String>,

    /// Close circuits after this idle time, for example `5m`; `0s` for never
    #[arg(long, value_name = "DURATION", value_parser = parse_milliseconds, allow_hyphen_values = true)]
    max_idle_time: Option<u64>,
}

/// Parses a duration as milliseconds.
fn parse_milliseconds(text: &str) -> Result<u64, String> {
    let duration = duration::parse(text, "`30s` or `5m`")?;
    // The range of the controller.
    let milliseconds = i64::try_from(duration.as_millis()).ok();
    milliseconds
        .and_then(|milliseconds| u64::try_from(milliseconds).ok())
        .ok_or_else(|| "must not be negative, or longer than about 292 million years".to_owned())
}

impl ServiceArgs {
    /// Builds the patch.
    pub(super) async fn to_patch(
        &self,
        client: &Client,
        name: Option<String>,
    ) -> Result<ServicePatch, CliError> {
        Ok(ServicePatch {
            role_attributes: self.attributes.parse()?,
            configs: self.configs.resolve(client).await?,
            encryption_required: self.encryption,
            max_idle_time_millis: self.max_idle_time,
            name,
            tags: None,
            terminator_strategy: self.terminator_strategy.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        members: ServiceArgs,
    }

    fn parse(line: &str) -> Result<ServiceArgs, clap::Error> {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.members)
    }

    #[test]
    fn switches_and_durations_are_read_as_people_write_them() {
        for (line, encryption, idle) in [
            ("", None, None),
            (
                "--encryption false --max-idle-time 5m",
                Some(false),
                Some(300_000),
            ),
            ("-e ON --max-idle-time 0s", Some(true), Some(0)),
        ] {
            let members = parse(line).unwrap();
            assert_eq!(members.encryption, encryption, "{line}");
            assert_eq!(members.max_idle_time, idle, "{line}");
        }
        for line in [
            "--encryption perhaps",
            "--max-idle-time -5m",
            "--max-idle-time 5",
            "--terminator-strategy dice",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
