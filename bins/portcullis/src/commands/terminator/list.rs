//! `portcullis terminator list`.

use crate::commands::listing;
use crate::commands::pagination::PageArgs;
use crate::context::{Context, Session};
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::service::ServiceDetail;
use portcullis_api::terminator::TerminatorDetail;
use portcullis_client::quote;

const EXAMPLES: &str = "\
Examples:
  portcullis terminator list --service wiki
  portcullis terminator list --filter 'router.name = \"r1\"' --sort address --all";

/// Arguments of `terminator list`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    page: PageArgs,

    /// List only terminators of this service, by id or name
    #[arg(long, value_name = "SERVICE")]
    service: Option<String>,
}

pub(super) async fn run(
    context: &Context,
    session: &Session,
    arguments: ListArgs,
) -> Result<(), CliError> {
    let client = &session.client;
    let (mut query, extent) = arguments.page.query();
    if let Some(text) = &arguments.service {
        let service: ServiceDetail = resolve::by_id_or_name(client, text).await?;
        let id = quote(service.base.id.as_str());
        query = query.and(&format!("service = {id}"));
    }
    listing::run::<TerminatorDetail>(context, client, query, extent).await
}
