//! `portcullis config`.

mod create;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, ShowArgs, UsualVerbs, VerbHelp,
};
use portcullis_api::config::ConfigDetail;
use std::convert::Infallible;

/// Help footer of `config`.
pub(crate) const EXAMPLES: &str = "\
A configuration tells the programs that dial or bind a service how to do so. The schema of its type
defines what it contains. A service has at most one configuration of each type.

Examples:
  portcullis config create wiki-host host.v1 --file host.yml
  portcullis config create wiki-intercept intercept.v1 --json '{\"protocols\": [\"tcp\"],
      \"addresses\": [\"wiki.test\"], \"portRanges\": [{\"low\": 80, \"high\": 80}]}'
  portcullis service create wiki --configs wiki-host,wiki-intercept";

pub(crate) type ConfigCommand = EntityCommand<ConfigDetail>;

impl Noun for ConfigDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List configurations",
        examples: "\
Examples:
  portcullis config list --sort name --all
  portcullis config list --filter 'name contains \"wiki\"'",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a configuration",
        examples: "\
Examples:
  portcullis config show wiki-host
  portcullis config show wiki-host --output json | jq .data > host.json",
    };
}

impl Deletable for ConfigDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete configurations",
        examples: "\
Deleted configurations are removed from services and routers. Deleting several, or with --filter,
asks for confirmation unless --yes is given.

Examples:
  portcullis config delete wiki-host
  portcullis config delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for ConfigDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = Infallible;
}
