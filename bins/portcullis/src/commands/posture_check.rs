//! `portcullis posture-check`.

mod create;
mod domain;
mod mac;
mod mfa;
mod os;
mod process;
mod requirement;
mod show;
#[cfg(test)]
mod tests;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, ShowArgs, UsualVerbs, VerbHelp,
};
use crate::commands::role_attributes::RoleAttributesCommand;
use portcullis_api::posture_check::PostureCheckDetail;

/// Help footer of `posture-check`.
pub(crate) const EXAMPLES: &str = "\
A posture check is a requirement on a device or its user. Service policies select checks: the access
that a policy grants is available while all of its checks pass. If several policies grant a service,
one of them is enough.

Examples:
  portcullis posture-check create os current --os 'Windows:>=10.0.19041' --os macOS -a desktop
  portcullis posture-check create mfa recent-code --good-for 15m
  portcullis service-policy create staff dial --posture-check-roles '#desktop,@recent-code' \\
      --service-roles '#intranet' --identity-roles '#staff'";

pub(crate) type PostureCheckCommand = EntityCommand<PostureCheckDetail>;

impl Noun for PostureCheckDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List posture checks",
        examples: "\
Examples:
  portcullis posture-check list --sort name --all
  portcullis posture-check list --filter 'typeId = \"MFA\"'
  portcullis posture-check list --filter 'anyOf(roleAttributes) = \"desktop\"'",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a posture check",
        examples: "\
Examples:
  portcullis posture-check show current
  portcullis posture-check show current --output json | jq .operatingSystems",
    };
}

impl Deletable for PostureCheckDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete posture checks",
        examples: "\
Policies stop requiring deleted checks: those without other checks then grant access to every
device. Deleting several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis posture-check delete current
  portcullis posture-check delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for PostureCheckDetail {
    type Create = create::TypedCreateArgs;
    type List = ListArgs<Self>;
    type Show = ShowArgs<Self>;
    type Update = update::TypedUpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = RoleAttributesCommand<Self>;
}
