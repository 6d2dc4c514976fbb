//! `portcullis revocation show`.

use super::kind;
use crate::commands::entities;
use crate::commands::pagination;
use crate::context::{Context, Session};
use crate::entity::{Entity, EntityKind};
use crate::error::CliError;
use crate::table::Table;
use clap::Args;
use portcullis_api::entity::Base;
use portcullis_api::revocation::RevocationDetail;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RevocationId;

const EXAMPLES: &str = "\
Examples:
  portcullis revocation show 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";

/// Arguments of `revocation show`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ShowArgs {
    /// Id of the revocation, which is the id of what it revokes
    id: String,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ShowArgs,
) -> Result<(), CliError> {
    let id = RevocationId::from_wire(arguments.id);
    let revocation = session.client.entity::<RevocationDetail>(&id).await?;
    entities::show_entity(context, &revocation)
}

impl Entity for RevocationDetail {
    fn label(&self) -> String {
        kind::display(self.revoked).to_owned()
    }

    fn table(&self, _now: Timestamp) -> Table {
        Table::with_properties()
            .property("id", self.base.id.as_str())
            .property("revoked", kind::display(self.revoked))
            .property("since", self.base.updated_at.to_string())
            .property("until", self.expires_at.to_string())
    }
}

impl EntityKind for RevocationDetail {
    const COMMAND: &'static str = "revocation";
    const SINGULAR: &'static str = "revocation";
    const PLURAL: &'static str = "revocations";
    const COLUMNS: &'static [&'static str] = &["id", "revoked", "since", "until"];

    fn base(&self) -> &Base<RevocationId> {
        &self.base
    }

    fn extra_cells(&self, now: Timestamp) -> Vec<String> {
        vec![
            kind::display(self.revoked).to_owned(),
            self.base.updated_at.to_string(),
            pagination::format_expiry(self.expires_at, now),
        ]
    }
}
