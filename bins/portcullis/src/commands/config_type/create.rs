//! `portcullis config-type create`.

use crate::commands::data::DataArgs;
use crate::commands::entities;
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::{Args, ValueEnum};
use portcullis_api::config_type::{ConfigTypeCreate, ConfigTypeDetail, ConfigTypeReplace};
use portcullis_domain::config::Target;
use portcullis_domain::tags::Tags;

const EXAMPLES: &str = "\
The schema is a JSON Schema of the type `object`. Without one, configurations of the type may
contain anything.

Examples:
  portcullis config-type create printer.v1 --file printer.schema.json
  portcullis config-type create uplink.v1 --target router \\
      --json '{\"type\": \"object\", \"required\": [\"rate\"]}'";

/// Arguments of `config-type create`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CreateArgs {
    /// Name of the type; no other has it
    name: String,

    #[command(flatten)]
    schema: DataArgs,

    /// What configurations of the type are for; services if left out
    #[arg(long, value_enum, ignore_case = true)]
    target: Option<ForWhat>,
}

/// What configurations are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ForWhat {
    /// Services
    Service,
    /// Routers
    Router,
    /// Something else
    Other,
}

impl From<ForWhat> for Target {
    fn from(target: ForWhat) -> Self {
        match target {
            ForWhat::Service => Self::Service,
            ForWhat::Router => Self::Router,
            ForWhat::Other => Self::Other,
        }
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: CreateArgs,
) -> Result<(), CliError> {
    let body = ConfigTypeCreate {
        replace: ConfigTypeReplace {
            name: arguments.name,
            schema: arguments.schema.read()?,
            tags: Tags::default(),
        },
        target: arguments.target.map(Target::from),
    };
    entities::create::<ConfigTypeDetail>(context, session, &body).await
}
