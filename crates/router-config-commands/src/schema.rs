//! `portcullis router-config schema`.

use crate::console::Console;

/// Help footer of `schema`.
pub(crate) const EXAMPLES: &str = "\
The schema is JSON Schema 2020-12, with descriptions, defaults, bounds and examples. Editors with a
YAML language server use it if the first line of the router file is:

  # yaml-language-server: $schema=./router.schema.json

Examples:
  portcullis router-config schema > router.schema.json";

pub(crate) fn run<C: Console>(console: &C) -> Result<(), C::Error> {
    console.write_document(&portcullis_router_config::schema())
}
