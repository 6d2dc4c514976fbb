//! `portcullis config-type`.

mod create;
mod show;
mod update;

use crate::commands::entity_command::{
    Deletable, DeleteArgs, EntityCommand, ListArgs, Noun, ShowArgs, UsualVerbs, VerbHelp,
};
use portcullis_api::config_type::ConfigTypeDetail;
use std::convert::Infallible;

/// Help footer of `config-type`.
pub(crate) const EXAMPLES: &str = "\
A configuration type defines, by a JSON Schema, what its configurations must contain.

Examples:
  portcullis config-type list
  portcullis config-type show host.v1
  portcullis config-type create printer.v1 --file printer.schema.json";

pub(crate) type ConfigTypeCommand = EntityCommand<ConfigTypeDetail>;

impl Noun for ConfigTypeDetail {
    const LIST: VerbHelp = VerbHelp {
        about: "List configuration types",
        examples: "\
Examples:
  portcullis config-type list --sort name --all
  portcullis config-type list --filter 'name contains \"host\"'",
    };
    const SHOW: VerbHelp = VerbHelp {
        about: "Show a configuration type with its schema",
        examples: "\
Examples:
  portcullis config-type show intercept.v1
  portcullis config-type show host.v1 --output json | jq .schema",
    };
}

impl Deletable for ConfigTypeDetail {
    const DELETE: VerbHelp = VerbHelp {
        about: "Delete unused configuration types",
        examples: "\
Types in use cannot be deleted. Deleting several, or with --filter, asks for confirmation unless
--yes is given.

Examples:
  portcullis config-type delete printer.v1
  portcullis config-type delete --filter 'name contains \"test-\"' --dry-run",
    };
}

impl UsualVerbs for ConfigTypeDetail {
    type Create = create::CreateArgs;
    type List = ListArgs<Self>;
    type Show = ShowArgs<Self>;
    type Update = update::UpdateArgs;
    type Delete = DeleteArgs<Self>;
    type Other = Infallible;
}
