//! `portcullis service`.

mod args;
mod create;
mod list;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, Noun, ShowArgs, UsualVerbs, VerbHelp,
};
use crate::commands::role_attributes::RoleAttributesCommand;
use portcullis_api::service::ServiceDetail;

/// Help footer of `service`.
pub(crate) const EXAMPLES: &str = "\
Identities connect to services. Service policies define which identities may dial a service (connect
to it) and which may bind it (host it).

Examples:
  portcullis service create wiki --role-attributes intranet --configs wiki-host,wiki-intercept
  portcullis service-policy create staff dial --service-roles '#intranet' --identity-roles '#staff'
  portcullis policy-advisor services wiki";

pub(crate) type ServiceCommand = EntityCommand<ServiceDetail>;

impl Noun for ServiceDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List services",
        examples: "\
Whoever may not list all services gets those that policies grant to them, with what they may do.

Examples:
  portcullis service list --role intranet
  portcullis service list --filter 'terminatorStrategy = \"random\"' --sort name --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a service",
        examples: "\
Examples:
  portcullis service show wiki
  portcullis service show wiki --output json | jq .configs",
    };
}

impl Deletable for ServiceDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete services and their terminators",
        examples: "\
The terminators of a service are deleted too. Deleting several, or with --filter, asks for
confirmation unless --yes is given.

Examples:
  portcullis service delete wiki
  portcullis service delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for ServiceDetail {
    type Create = create::CreateArgs;
    type List = list::ListArgs;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = RoleAttributesCommand<Self>;
}
