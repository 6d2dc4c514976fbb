//! `portcullis router-config schema`.

use crate::error::CliError;
use crate::output::{Format, Output};

/// Help footer of `schema`.
pub(super) const EXAMPLES: &str = "\
The schema is JSON Schema 2020-12, with descriptions, defaults, bounds and examples. Editors with a
YAML language server use it if the first line of the router file is:

  # yaml-language-server: $schema=./router.schema.json

Examples:
  portcullis router-config schema > router.schema.json";

pub(super) fn run(output: Format) -> Result<(), CliError> {
    Output::new(output).write_document(&portcullis_router_config::schema())
}
