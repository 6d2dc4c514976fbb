//! `portcullis config create`.

use crate::commands::entities;
use crate::commands::object_args::DataArgs;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::completion::Values;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use crate::resolve;
use clap::Args;
use portcullis_api::config::{ConfigCreate, ConfigDetail, ConfigUpdate};
use portcullis_api::config_type::ConfigTypeDetail;

const EXAMPLES: &str = "\
The schema of the type defines what a configuration must contain: `portcullis config-type show`.

Examples:
  portcullis config create wiki-host host.v1 --file host.yml
  portcullis config create wiki-host host.v1 \\
      --json '{\"protocol\": \"tcp\", \"address\": \"localhost\", \"port\": 8080}'
  portcullis config show wiki-host --output json | jq .data \\
      | portcullis config create wiki-host-2 host.v1 --file -";

/// Create a configuration
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the configuration; must be unique
    name: String,

    /// Id or name of the configuration type, which cannot be changed later
    #[arg(value_name = "TYPE", add = Values::one::<ConfigTypeDetail>())]
    config_type: String,

    #[command(flatten)]
    data: DataArgs,

    #[command(flatten)]
    tags: NewTagsArgs,
}

fn missing_data() -> CliError {
    CliError::usage("the data of the configuration is missing")
        .hint("pass it with `--json TEXT` or `--file FILE`")
}

impl Verb for CreateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        if self.data.is_given() {
            Ok(())
        } else {
            Err(missing_data())
        }
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let data = self.data.read()?.ok_or_else(missing_data)?;
        let config_type: ConfigTypeDetail =
            resolve::by_id_or_name(&session.client, &self.config_type).await?;
        let body = ConfigCreate {
            config_type_id: config_type.base.id,
            replace: ConfigUpdate {
                data,
                name: self.name,
                tags: self.tags.to_tags(),
            },
        };
        entities::create::<ConfigDetail>(context, session, &body).await
    }
}
