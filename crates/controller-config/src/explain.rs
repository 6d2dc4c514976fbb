//! Explanations of keys, the reference page and the JSON Schema.

use std::fmt::Write as _;

use portcullis_key_table::{Explanation, PathError, reference_sections};
use serde_json::Value as Json;

use crate::codes;
use crate::keys::ControllerFile;

/// Explains the key at a path such as `edge.api.address` or `web[].apis[spa].options.path`.
///
/// There is one explanation per binding where the meaning depends on it.
///
/// # Errors
/// [`PathError`] with the nearest existing key if the path names no key.
pub fn explain(path: &str) -> Result<Vec<Explanation>, PathError> {
    portcullis_key_table::explain::<ControllerFile>(path)
}

/// Builds the JSON Schema, in the dialect 2020-12, for completion, hover and validation in editors.
///
/// It covers keys, types, bounds, defaults and examples. Constraints across sections are left to
/// [`read`](crate::read).
pub fn schema() -> Json {
    portcullis_key_table::schema::<ControllerFile>()
}

/// Writes the reference page of the file, in Markdown, one part per section.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Controller configuration\n\n\
         Every key of the file. `[]` stands for an item of a list, `[spa]` for one whose `binding` is `spa`, \
         and `NAME` for a name of your choice. This page is generated; `portcullis-controller config explain KEY` shows one key of it, \
         `portcullis-controller config show FILE` what counts with a file, and `portcullis-controller config \
         check FILE` holds a file against it.\n\n\
         ## The file\n\n\
         YAML 1.1, in the format of OpenZiti's controller. In every value `${NAME}` and `$NAME` stand for an \
         environment variable; the result is always a string, an unset variable is replaced by nothing, and a \
         `$` cannot be escaped. The last of two equal keys counts. Durations are written like `30s`, `5m` or \
         `1h30m`. Keys of OpenZiti that have no effect here get a warning, unknown keys are errors.\n",
    );
    page.push_str(&reference_sections::<ControllerFile>());
    page.push_str(
        "\n## Codes of findings\n\n\
         Findings have codes that stay the same; their sentences may change. `config check` has further ones \
         about the files that are named.\n\n\
         | Code | Meaning |\n|---|---|\n",
    );
    for (code, meaning) in codes::all() {
        // Writing into a string cannot fail.
        let _ = writeln!(page, "| `{code}` | {meaning} |");
    }
    page
}
