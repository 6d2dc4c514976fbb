//! `portcullis edge-router update`.

use crate::commands::attributes::AttributesArgs;
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::router::{RouterArgs, RouterFlagUpdateArgs};
use crate::context::{Context, Session};
use crate::error::CliError;
use clap::Args;
use portcullis_api::edge_router::{EdgeRouterDetail, EdgeRouterPatch};

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis edge-router update r1 --role-attributes public
  portcullis edge-router update r1 --cost 100 --no-traversal true
  portcullis edge-router update r1 --disabled true          # locked out for now";

/// Arguments of `edge-router update`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    target: NamedArgs,

    #[command(flatten)]
    name: NewNameArgs,

    #[command(flatten)]
    attributes: AttributesArgs,

    /// Whether the tunneler is enabled, with an identity of the same name
    #[arg(short = 't', long, value_name = "true|false")]
    tunneler_enabled: Option<bool>,

    #[command(flatten)]
    switches: RouterFlagUpdateArgs,

    #[command(flatten)]
    router: RouterArgs,
}

impl UpdateArgs {
    pub(super) fn check(&self) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.attributes == AttributesArgs::default()
            && self.tunneler_enabled.is_none()
            && self.switches == RouterFlagUpdateArgs::default()
            && self.router == RouterArgs::default();
        entities::require_changes::<EdgeRouterDetail>(is_nothing)
    }
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: UpdateArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let name = arguments.name.new_name;
    let change = EdgeRouterPatch {
        app_data: None,
        is_tunneler_enabled: arguments.tunneler_enabled,
        role_attributes: arguments.attributes.parse()?,
        router: arguments
            .router
            .to_patch(client, name, arguments.switches)
            .await?,
    };
    entities::update::<EdgeRouterDetail>(context, session, &arguments.target, &change).await
}
