//! Explanations of keys, and the reference page.

use std::fmt::Write as _;

use portcullis_key_table::{Explanation, PathError, reference_sections};

use crate::codes;
use crate::table::RouterFile;

/// Explains the key at a path such as `link.dialers[0].split` or `listeners[tunnel].options.mode`.
///
/// There is one explanation per binding where the meaning depends on it.
///
/// # Errors
/// [`PathError`] with the nearest existing key if the path names no key.
pub fn explain(path: &str) -> Result<Vec<Explanation>, PathError> {
    portcullis_key_table::explain::<RouterFile>(path)
}

/// Writes the reference page of the file, in Markdown, one part per section.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Router configuration\n\n\
         Every key of the file. `[]` stands for an item of a list, `[edge]` for one whose `binding` is \
         `edge`. Defaults are those of Portcullis; where OpenZiti's differ, both are given. This page is \
         generated; `portcullis router-config explain KEY` shows one key of it, and `portcullis \
         router-config check FILE` holds a file against it.\n\n\
         ## The file\n\n\
         YAML 1.1. In every value `${NAME}` and `$NAME` stand for an environment variable; the result is \
         always a string, an unset variable is replaced by nothing, and a `$` cannot be escaped. The last \
         of two equal keys counts. Durations are written like `30s`, `5m` or `1h30m`.\n",
    );
    page.push_str(&reference_sections::<RouterFile>());
    write_codes(&mut page);
    page
}

/// Lists the codes of findings, which are stable.
fn write_codes(page: &mut String) {
    page.push_str(
        "\n## Codes of findings\n\n\
         Findings have codes that stay the same; their sentences may change.\n\n\
         | Code | Meaning |\n|---|---|\n",
    );
    for (code, meaning) in codes::all() {
        // Writing into a string cannot fail.
        let _ = writeln!(page, "| `{code}` | {meaning} |");
    }
}
