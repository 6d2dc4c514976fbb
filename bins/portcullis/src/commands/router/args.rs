//! Settings of routers, as arguments.

use crate::commands::configs::ConfigsArgs;
use crate::error::CliError;
use crate::text::split_commas;
use clap::Args;
use portcullis_api::router::{CtrlChanListeners, TransitRouterCreate, TransitRouterPatch};
use portcullis_client::Client;
use portcullis_domain::tags::Tags;

/// Settings of an edge or transit router.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct RouterArgs {
    /// Cost of using the router, from 0 to 65535; lower is preferred
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    cost: Option<u16>,

    #[command(flatten)]
    configs: ConfigsArgs,

    /// Address at which controllers reach the router, such as `tls:r1.test:6262`, optionally with
    /// comma-separated groups; can be repeated
    #[arg(long, value_name = "ADDRESS[=GROUPS]", value_parser = parse_listener)]
    bootstrap_ctrl_chan_listener: Option<Vec<(String, Option<Vec<String>>)>>,
}

/// Flags of a new router.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct RouterFlagArgs {
    /// Do not let circuits pass through the router, only start and end at it
    #[arg(long)]
    no_traversal: bool,

    /// Disable the router
    #[arg(long)]
    disabled: bool,
}

/// Flags of an update.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args)]
pub(crate) struct RouterFlagUpdateArgs {
    /// Whether to keep circuits from passing through the router; they may still start and end there
    #[arg(long, value_name = "true|false")]
    no_traversal: Option<bool>,

    /// Whether the router is disabled
    #[arg(long, value_name = "true|false")]
    disabled: Option<bool>,
}

/// Parses `ADDRESS[=GROUPS]`.
fn parse_listener(text: &str) -> Result<(String, Option<Vec<String>>), String> {
    let (address, groups) = match text.split_once('=') {
        Some((address, groups)) => (address, Some(split_commas(groups))),
        None => (text, None),
    };
    if address.trim().is_empty() {
        return Err("the address is missing".to_owned());
    }
    Ok((address.to_owned(), groups))
}

impl RouterArgs {
    /// Builds the request to create a router.
    pub(crate) async fn to_create(
        &self,
        client: &Client,
        name: String,
        switches: RouterFlagArgs,
    ) -> Result<TransitRouterCreate, CliError> {
        Ok(TransitRouterCreate {
            configs: self.configs.resolve(client).await?.unwrap_or_default(),
            cost: self.cost.unwrap_or_default(),
            ctrl_chan_listeners: self.listeners().unwrap_or_default(),
            disabled: switches.disabled,
            name,
            no_traversal: switches.no_traversal,
            tags: Tags::default(),
        })
    }

    /// Builds the request to update a router.
    pub(crate) async fn to_patch(
        &self,
        client: &Client,
        name: Option<String>,
        switches: RouterFlagUpdateArgs,
    ) -> Result<TransitRouterPatch, CliError> {
        Ok(TransitRouterPatch {
            configs: self.configs.resolve(client).await?,
            cost: self.cost,
            ctrl_chan_listeners: self.listeners(),
            disabled: switches.disabled,
            name,
            no_traversal: switches.no_traversal,
            tags: None,
        })
    }

    fn listeners(&self) -> Option<CtrlChanListeners> {
        let given = self.bootstrap_ctrl_chan_listener.as_ref()?;
        Some(given.iter().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        router: RouterArgs,
    }

    fn parse(line: &str) -> Result<RouterArgs, clap::Error> {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.router)
    }

    #[test]
    fn addresses_have_groups_behind_them() {
        let line =
            "--bootstrap-ctrl-chan-listener tls:a:1=g,h --bootstrap-ctrl-chan-listener tls:b:1";
        let listeners = parse(line).unwrap().listeners().unwrap();
        assert_eq!(
            serde_json::to_value(listeners).unwrap(),
            serde_json::json!({"tls:a:1": ["g", "h"], "tls:b:1": null})
        );
        assert_eq!(parse("").unwrap().listeners(), None);
    }

    #[test]
    fn numbers_that_are_no_cost_are_refused() {
        assert_eq!(parse("--cost 65535").unwrap().cost, Some(65535));
        for line in [
            "--cost 65536",
            "--cost=-1",
            "--bootstrap-ctrl-chan-listener =g",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
