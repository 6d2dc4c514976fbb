//! Options of `portcullis terminator list`.

use crate::commands::entity_command::ListFilter;
use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::service::ServiceDetail;
use portcullis_client::{Client, ListQuery, quote};

/// Service to filter by.
#[derive(Debug, Args)]
pub(crate) struct ServiceFilterArgs {
    /// List only terminators of this service, by id or name
    #[arg(long, value_name = "SERVICE")]
    service: Option<String>,
}

impl ListFilter for ServiceFilterArgs {
    async fn apply(&self, client: &Client, query: ListQuery) -> Result<ListQuery, CliError> {
        let Some(text) = &self.service else {
            return Ok(query);
        };
        let service: ServiceDetail = resolve::by_id_or_name(client, text).await?;
        let id = quote(service.base.id.as_str());
        Ok(query.and(&format!("service = {id}")))
    }
}
