//! `portcullis edge-router`.

mod create;
mod re_enroll;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, UsualVerbs, VerbHelp,
};
use crate::commands::role_attributes::RoleAttributesArgs;
use crate::commands::role_filter::RoleFilterArgs;
use crate::commands::router;
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::edge_router::EdgeRouterDetail;

/// Help footer of `edge-router`.
pub(crate) const EXAMPLES: &str = "\
Clients connect to edge routers. Edge-router policies define which identities may use them, and
service-edge-router policies for which services.

Examples:
  portcullis edge-router create r1 --role-attributes public --output-jwt r1.jwt
  portcullis edge-router list
  portcullis edge-router re-enroll r1 --output-jwt r1.jwt";

pub(crate) type EdgeRouterCommand = EntityCommand<EdgeRouterDetail>;

impl Noun for EdgeRouterDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List edge routers",
        examples: "\
Examples:
  portcullis edge-router list --role public
  portcullis edge-router list --filter 'isVerified = false' --sort name --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show an edge router",
        examples: "\
Examples:
  portcullis edge-router show r1
  portcullis edge-router show r1 --output-jwt r1.jwt      # until it has enrolled
  portcullis edge-router show r1 --output json | jq .versionInfo",
    };
}

impl Deletable for EdgeRouterDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete edge routers",
        examples: "\
A deleted router is locked out at once, and its terminators are deleted too. Deleting several, or
with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis edge-router delete r1
  portcullis edge-router delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for EdgeRouterDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self, RoleFilterArgs<Self>>;
    type Show = router::ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = EdgeRouterOtherCommand;
}

/// Further subcommands for edge routers.
#[derive(Debug, Subcommand)]
pub(crate) enum EdgeRouterOtherCommand {
    #[command(display_order = 21)]
    RoleAttributes(RoleAttributesArgs<EdgeRouterDetail>),
    #[command(display_order = 41)]
    ReEnroll(re_enroll::ReEnrollArgs),
}

delegate_verbs!(EdgeRouterOtherCommand: RoleAttributes, ReEnroll);
