//! `--configs` of services and routers.

use crate::completion::Values;
use crate::error::CliError;
use crate::names::Names;
use crate::resolve;
use crate::text::split_all_commas;
use clap::Args;
use portcullis_api::config::ConfigDetail;
use portcullis_client::Client;
use portcullis_domain::ids::ConfigId;
use std::collections::BTreeSet;

/// Configurations of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct ConfigsArgs {
    /// Comma-separated ids or names of configurations, at most one of each type; empty for none
    #[arg(long, value_name = "CONFIGS", alias = "config", add = Values::list::<ConfigDetail>())]
    configs: Option<Vec<String>>,
}

impl ConfigsArgs {
    /// Resolves the configurations, if given.
    pub(crate) async fn resolve(
        &self,
        client: &Client,
    ) -> Result<Option<BTreeSet<ConfigId>>, CliError> {
        let Some(texts) = &self.configs else {
            return Ok(None);
        };
        let mut found = BTreeSet::new();
        for word in split_all_commas(texts) {
            let config: ConfigDetail = resolve::by_id_or_name(client, &word).await?;
            found.insert(config.base.id);
        }
        Ok(Some(found))
    }
}

/// Fetches the names of configurations.
pub(crate) async fn fetch_names(client: &Client, configs: Option<&BTreeSet<ConfigId>>) -> Names {
    let ids: Vec<_> = ids(configs).collect();
    Names::fetch::<ConfigDetail>(client, &ids).await
}

/// Formats configurations for tables.
pub(crate) fn display(configs: Option<&BTreeSet<ConfigId>>, names: &Names) -> String {
    names.of_all(ids(configs))
}

fn ids(configs: Option<&BTreeSet<ConfigId>>) -> impl Iterator<Item = &str> {
    configs.into_iter().flatten().map(ConfigId::as_str)
}
