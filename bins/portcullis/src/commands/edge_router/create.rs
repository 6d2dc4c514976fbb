//! `portcullis edge-router create`.

use crate::commands::attributes::{AttributesArgs, completed_from};
use crate::commands::router::{self, RouterArgs, RouterFlagArgs};
use crate::commands::tags::NewTagsArgs;
use crate::commands::token_output::TokenArgs;
use crate::commands::verb::Verb;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use portcullis_api::edge_router::{EdgeRouterCreate, EdgeRouterDetail};
use portcullis_api::router::TransitRouterCreate;
use portcullis_domain::tags::Tags;

const EXAMPLES: &str = "\
The router enrolls with the token: `portcullis-router enroll router.yml --jwt r1.jwt`. To create its
configuration file, use `portcullis router-config generate edge`.

Examples:
  portcullis edge-router create r1 --output-jwt r1.jwt
  portcullis edge-router create r2 -a public,berlin --cost 100 --output-jwt r2.jwt
  portcullis edge-router create gateway --tunneler-enabled --no-traversal";

/// Create an edge router and its enrollment token
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES, mut_arg("role_attributes", completed_from::<EdgeRouterDetail>))]
pub(crate) struct CreateArgs {
    /// Name of the edge router; must be unique
    name: String,

    #[command(flatten)]
    attributes: AttributesArgs,

    /// Enable the tunneler, and create an identity of the same name for it
    #[arg(short = 't', long)]
    tunneler_enabled: bool,

    #[command(flatten)]
    switches: RouterFlagArgs,

    #[command(flatten)]
    router: RouterArgs,

    #[command(flatten)]
    tags: NewTagsArgs,

    #[command(flatten)]
    token: TokenArgs,
}

impl Verb for CreateArgs {
    fn check(&self, output: Output) -> Result<(), CliError> {
        self.token.check(output)
    }

    async fn run(self, context: &Context, session: &Session) -> Result<(), CliError> {
        let client = &session.client;
        let members = self.router;
        let body = EdgeRouterCreate {
            app_data: Tags::default(),
            is_tunneler_enabled: self.tunneler_enabled,
            role_attributes: self.attributes.parse()?.unwrap_or_default(),
            router: TransitRouterCreate {
                tags: self.tags.to_tags(),
                ..members.to_create(client, self.name, self.switches).await?
            },
        };
        router::create::<EdgeRouterDetail>(context, session, &body, &self.token).await
    }
}
