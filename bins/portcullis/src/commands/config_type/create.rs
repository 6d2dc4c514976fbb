//! `portcullis config-type create`.

use crate::commands::entities;
use crate::commands::object_args::DataArgs;
use crate::commands::tags::NewTagsArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::{Args, ValueEnum};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypeDetail, ConfigTypeUpdate};
use portcullis_domain::config::ConfigTarget;

const EXAMPLES: &str = "\
The schema is a JSON Schema with the type `object`. Without one, configurations of this type may
contain anything.

Examples:
  portcullis config-type create printer.v1 --file printer.schema.json
  portcullis config-type create uplink.v1 --target router \\
      --json '{\"type\": \"object\", \"required\": [\"rate\"]}'";

/// Create a configuration type
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the type; must be unique
    name: String,

    #[command(flatten)]
    schema: DataArgs,

    #[command(flatten)]
    tags: NewTagsArgs,

    /// Kind of entity that configurations of this type are for (default: service)
    #[arg(long, value_enum, ignore_case = true)]
    target: Option<TargetArg>,
}

/// Kind of entity that configurations are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TargetArg {
    /// Services
    Service,
    /// Routers
    Router,
    /// Something else
    Other,
}

impl From<TargetArg> for ConfigTarget {
    fn from(target: TargetArg) -> Self {
        match target {
            TargetArg::Service => Self::Service,
            TargetArg::Router => Self::Router,
            TargetArg::Other => Self::Other,
        }
    }
}

impl Verb for CreateArgs {
    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let body = ConfigTypeCreate {
            replace: ConfigTypeUpdate {
                name: self.name,
                schema: self.schema.read()?,
                tags: self.tags.to_tags(),
            },
            target: self.target.map(ConfigTarget::from),
        };
        entities::create::<ConfigTypeDetail>(context, session, &body).await
    }
}
