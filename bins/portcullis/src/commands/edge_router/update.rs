//! `portcullis edge-router update`.

use crate::commands::attributes::{AttributesArgs, completed_from};
use crate::commands::entities::{self, NamedArgs, NewNameArgs};
use crate::commands::router::{RouterArgs, RouterFlagUpdateArgs};
use crate::commands::tags::TagChangesArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::edge_router::{EdgeRouterDetail, EdgeRouterPatch};

const EXAMPLES: &str = "\
Only the given options are changed.

Examples:
  portcullis edge-router update r1 --role-attributes public
  portcullis edge-router update r1 --cost 100 --no-traversal true
  portcullis edge-router update r1 --disabled true          # locked out for now";

/// Update an edge router
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, mut_arg("role_attributes", completed_from::<EdgeRouterDetail>))]
pub(crate) struct UpdateArgs {
    #[command(flatten)]
    target: NamedArgs<EdgeRouterDetail>,

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

    #[command(flatten)]
    tags: TagChangesArgs,
}

impl Verb for UpdateArgs {
    fn check(&self, _output: Output) -> Result<(), CliError> {
        let is_nothing = self.name == NewNameArgs::default()
            && self.attributes == AttributesArgs::default()
            && self.tunneler_enabled.is_none()
            && self.switches == RouterFlagUpdateArgs::default()
            && self.router == RouterArgs::default()
            && self.tags.is_empty();
        entities::require_changes::<EdgeRouterDetail>(is_nothing)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let name = self.name.new_name;
        let change = EdgeRouterPatch {
            app_data: None,
            is_tunneler_enabled: self.tunneler_enabled,
            role_attributes: self.attributes.parse()?,
            router: self.router.to_patch(client, name, self.switches).await?,
        };
        entities::update::<EdgeRouterDetail>(context, session, &self.target, change, &self.tags)
            .await
    }
}
