//! Choosing what belongs to one identity.

use crate::error::CliError;
use crate::resolve;
use clap::Args;
use portcullis_api::identity::IdentityDetail;
use portcullis_client::{Client, ListQuery, quote};

/// Whose things are meant.
#[derive(Debug, Clone, Args)]
pub(crate) struct OfIdentityArgs {
    /// Only what belongs to this identity, by name or id
    #[arg(long, value_name = "IDENTITY")]
    identity: Option<String>,
}

impl OfIdentityArgs {
    /// Narrows a list to what belongs to the identity, if one is named.
    pub(crate) async fn narrow(
        &self,
        client: &Client,
        query: ListQuery,
    ) -> Result<ListQuery, CliError> {
        let Some(text) = &self.identity else {
            return Ok(query);
        };
        let identity: IdentityDetail = resolve::one(client, text).await?;
        let id = quote(identity.base.id.as_str());
        Ok(query.and(&format!("identity = {id}")))
    }
}
