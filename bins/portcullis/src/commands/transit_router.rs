//! `portcullis transit-router`.

mod create;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, UsualVerbs, VerbHelp,
};
use crate::commands::router;
use portcullis_api::transit_router::TransitRouterDetail;
use std::convert::Infallible;

/// Help footer of `transit-router`.
pub(crate) const EXAMPLES: &str = "\
Transit routers forward traffic between other routers; clients do not connect to them. The list
includes edge routers, which forward traffic too.

Examples:
  portcullis transit-router create t1 --output-jwt t1.jwt
  portcullis transit-router list";

pub(crate) type TransitRouterCommand = EntityCommand<TransitRouterDetail>;

impl Noun for TransitRouterDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List transit routers and edge routers",
        examples: "\
Examples:
  portcullis transit-router list --sort name --all
  portcullis transit-router list --filter 'name contains \"berlin\"'",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a transit router",
        examples: "\
Examples:
  portcullis transit-router show t1
  portcullis transit-router show t1 --output-jwt t1.jwt      # until it has enrolled",
    };
}

impl Deletable for TransitRouterDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete transit routers",
        examples: "\
A deleted router is locked out at once. Deleting several, or with --filter, asks for confirmation
unless --yes is given.

Examples:
  portcullis transit-router delete t1
  portcullis transit-router delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for TransitRouterDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self>;
    type Show = router::ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = Infallible;
}
