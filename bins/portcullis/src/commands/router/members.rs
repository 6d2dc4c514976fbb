//! What administrators decide about a router, as arguments.

use crate::commands::configs::ConfigsArgs;
use crate::error::CliError;
use crate::words::between_commas;
use clap::Args;
use portcullis_api::router::{CtrlChanListeners, RouterBody, RouterMerge};
use portcullis_client::Client;
use portcullis_domain::tags::Tags;

/// What administrators decide about a router of either kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub(crate) struct RouterArgs {
    /// Cost of using it, from 0 to 65535; routes with a lower cost are preferred
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    cost: Option<u16>,

    #[command(flatten)]
    configs: ConfigsArgs,

    /// Address at which controllers reach it, such as `tls:r1.test:6262`, and after a `=` the groups
    /// of that address, separated by commas; may be given several times
    #[arg(long, value_name = "ADDRESS[=GROUPS]", value_parser = listener)]
    bootstrap_ctrl_chan_listener: Option<Vec<(String, Option<Vec<String>>)>>,
}

/// What is on or off in a new router.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct SwitchArgs {
    /// Only let circuits begin and end at it, not pass through
    #[arg(long)]
    no_traversal: bool,

    /// Disable it
    #[arg(long)]
    disabled: bool,
}

/// What is to be turned on or off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Args)]
pub(crate) struct SwitchChangeArgs {
    /// Whether circuits may only begin and end at it, not pass through
    #[arg(long, value_name = "true|false")]
    no_traversal: Option<bool>,

    /// Whether it is disabled
    #[arg(long, value_name = "true|false")]
    disabled: Option<bool>,
}

/// Reads an address with its groups.
fn listener(text: &str) -> Result<(String, Option<Vec<String>>), String> {
    let (address, groups) = match text.split_once('=') {
        Some((address, groups)) => (address, Some(between_commas(groups))),
        None => (text, None),
    };
    if address.trim().is_empty() {
        return Err("the address is missing".to_owned());
    }
    Ok((address.to_owned(), groups))
}

impl RouterArgs {
    /// A new router.
    pub(crate) async fn body(
        &self,
        client: &Client,
        name: String,
        switches: SwitchArgs,
    ) -> Result<RouterBody, CliError> {
        Ok(RouterBody {
            configs: self.configs.find(client).await?.unwrap_or_default(),
            cost: self.cost.unwrap_or_default(),
            ctrl_chan_listeners: self.listeners().unwrap_or_default(),
            disabled: switches.disabled,
            name,
            no_traversal: switches.no_traversal,
            tags: Tags::default(),
        })
    }

    /// A change of a router.
    pub(crate) async fn change(
        &self,
        client: &Client,
        name: Option<String>,
        switches: SwitchChangeArgs,
    ) -> Result<RouterMerge, CliError> {
        Ok(RouterMerge {
            configs: self.configs.find(client).await?,
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
