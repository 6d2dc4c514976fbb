//! The configurations of services and routers, as an argument.

use crate::error::CliError;
use crate::resolve;
use crate::words::in_all;
use clap::Args;
use portcullis_api::config::ConfigDetail;
use portcullis_client::Client;
use portcullis_domain::ids::ConfigId;
use std::collections::BTreeSet;

/// The configurations of something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ConfigsArgs {
    /// All configurations, by id or name, at most one of each type, separated by commas; empty for
    /// none
    #[arg(long, value_name = "CONFIGS", alias = "config")]
    configs: Option<Vec<String>>,
}

impl ConfigsArgs {
    /// Finds the configurations, if they are given.
    pub(crate) async fn find(
        &self,
        client: &Client,
    ) -> Result<Option<BTreeSet<ConfigId>>, CliError> {
        let Some(texts) = &self.configs else {
            return Ok(None);
        };
        let mut found = BTreeSet::new();
        for word in in_all(texts) {
            let config: ConfigDetail = resolve::one(client, &word).await?;
            found.insert(config.base.id);
        }
        Ok(Some(found))
    }
}

/// Writes the ids of configurations for people.
pub(crate) fn shown(configs: Option<&BTreeSet<ConfigId>>) -> String {
    let ids = configs.into_iter().flatten().map(ConfigId::as_str);
    ids.collect::<Vec<_>>().join(", ")
}
