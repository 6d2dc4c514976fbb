//! `portcullis auth-policy`.

mod create;
mod rules;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, Positional, ShowArgs, UsualVerbs,
    VerbHelp,
};
use portcullis_api::auth_policy::AuthPolicyDetail;
use std::convert::Infallible;

/// Help footer of `auth-policy`.
pub(crate) const EXAMPLES: &str = "\
An authentication policy defines how the identities that it is assigned to may log in.

Examples:
  portcullis auth-policy create staff --updb deny
  portcullis auth-policy list
  portcullis auth-policy show default";

pub(crate) type AuthPolicyCommand = EntityCommand<AuthPolicyDetail>;

impl Noun for AuthPolicyDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List authentication policies",
        examples: "\
The columns show whether identities may log in with certificates, passwords and JWTs, and
whether a TOTP code is also required.

Examples:
  portcullis auth-policy list
  portcullis auth-policy list --filter 'primary.updb.allowed = true' --sort name --all",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show an authentication policy",
        examples: "\
Examples:
  portcullis auth-policy show default
  portcullis auth-policy show default --output json | jq .primary.updb",
    };
    const REFERENCE: Positional = Positional {
        id: "policy",
        value_name: "POLICY",
        help: "Id or name of the authentication policy",
    };
}

impl Deletable for AuthPolicyDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete authentication policies that are not in use",
        examples: "\
The policy `Default` and policies in use by identities or signers cannot be deleted. Deleting
several, or with --filter, asks for confirmation unless --yes is given.

Examples:
  portcullis auth-policy delete staff
  portcullis auth-policy delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for AuthPolicyDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = Infallible;
}
