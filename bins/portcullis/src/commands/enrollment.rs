//! `portcullis enrollment`.

mod create;
mod refresh;
pub(crate) mod show;

use crate::commands::entity_command::{Deletable, ListArgs, Noun, Positional, VerbHelp};
use crate::commands::identity_filter::{IdentityFilterArgs, OwnedDeleteArgs};
use crate::commands::verb::delegate_verbs;
use clap::Subcommand;
use portcullis_api::enrollment::EnrollmentDetail;

/// Help footer of `enrollment`.
pub(crate) const EXAMPLES: &str = "\
An enrollment is pending until its token is used with `portcullis enroll`. Expired enrollments can
be refreshed.

Examples:
  portcullis enrollment create laptop --output-jwt laptop.jwt
  portcullis enrollment list
  portcullis enrollment refresh Yb0Dk.7vQ --output-jwt laptop.jwt";

/// Subcommands for enrollments.
#[derive(Debug, Subcommand)]
pub(crate) enum EnrollmentCommand {
    Create(create::CreateArgs),
    #[command(visible_alias = "ls")]
    List(ListArgs<EnrollmentDetail, IdentityFilterArgs>),
    #[command(alias = "get")]
    Show(show::ShowArgs),
    Refresh(refresh::RefreshArgs),
    #[command(visible_alias = "rm")]
    Delete(OwnedDeleteArgs<EnrollmentDetail>),
}

delegate_verbs!(EnrollmentCommand: Create, List, Show, Refresh, Delete);

impl Noun for EnrollmentDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List pending and expired enrollments",
        examples: "\
Examples:
  portcullis enrollment list
  portcullis enrollment list --identity laptop
  portcullis enrollment list --filter 'createdAt < datetime(2031-01-02T00:00:00Z)' --all
  portcullis enrollment list --identity laptop --output json | jq -r '.[0].jwt'",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show an enrollment or write its token to a file",
        examples: "\
Examples:
  portcullis enrollment show Yb0Dk.7vQ
  portcullis enrollment show Yb0Dk.7vQ --output-jwt laptop.jwt",
    };
    const REFERENCE: Positional = Positional {
        id: "id",
        value_name: "ID",
        help: "Id of the enrollment, as shown by `enrollment list`",
    };
}

impl Deletable for EnrollmentDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete enrollments",
        examples: "\
The token of a deleted enrollment no longer works. Deleting several, or with --filter or --identity,
asks for confirmation unless --yes is given. `portcullis enrollment list` shows the ids.

Examples:
  portcullis enrollment delete Yb0Dk.7vQ
  portcullis enrollment delete --identity laptop
  portcullis enrollment delete --filter 'identity=\"uI2Rn3.8h\"' --dry-run
  portcullis enrollment delete --filter 'createdAt < datetime(2031-01-02T00:00:00Z)' --yes",
    };
}
