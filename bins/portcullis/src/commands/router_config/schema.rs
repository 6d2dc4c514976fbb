//! `portcullis router-config schema`.

use crate::error::CliError;
use crate::output::{Format, Output};

/// Shown below the help of `schema`.
pub(super) const EXAMPLES: &str = "\
JSON Schema 2020-12, with descriptions, defaults, bounds and examples. Editors with a YAML language
server read it when the first line of a router's file says so:

  # yaml-language-server: $schema=./router.schema.json

Example:
  portcullis router-config schema > router.schema.json";

pub(super) fn run(output: Format) -> Result<(), CliError> {
    Output::new(output).document(&portcullis_router_config::schema())
}
