//! The reference page.

use std::fmt::Write as _;

use crate::codes;
use crate::explain::{bounds, form, state};
use crate::table::{Found, Kind, ROOT, State, Variant, walk};

/// Writes the reference page of the file, in Markdown, one part per section.
pub fn reference() -> String {
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
    for section in ROOT {
        part(&mut page, section.name);
    }
    findings(&mut page);
    page
}

/// What programs may rely on in findings.
fn findings(page: &mut String) {
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

fn part(page: &mut String, section: &str) {
    let mut rows = String::new();
    let mut intro = String::new();
    walk(&mut |path, found| {
        let top = path.split(['.', '[']).next().unwrap_or_default();
        if top != section {
            return;
        }
        if path == section {
            intro = about(found);
        }
        if path != section || !is_section(found.key.kind) {
            rows.push_str(&row(path, found));
        }
    });
    let heading = format!("\n## {section}\n\n{intro}");
    page.push_str(&heading);
    if !rows.is_empty() {
        page.push_str("\n| Key | Form | Default | Bounds | Meaning |\n|---|---|---|---|---|\n");
        page.push_str(&rows);
    }
}

fn is_section(kind: Kind) -> bool {
    matches!(kind, Kind::Map(_) | Kind::Maps(_) | Kind::Bindings(_))
}

fn about(found: Found) -> String {
    let required = if found.key.required { " Required." } else { "" };
    let mut text = match found.key.state {
        State::Live => format!("{}{required}\n", found.key.doc),
        other => format!("{}\n", sentence(other)),
    };
    if let Kind::Bindings(variants) = found.key.kind {
        text.push_str("\n| Binding | Meaning |\n|---|---|\n");
        for Variant { binding, doc, .. } in variants {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| `{binding}` | {doc} |");
        }
    }
    text
}

/// The state of a key as a sentence of its own.
fn sentence(of: State) -> String {
    let text = state(of).unwrap_or_default();
    let mut rest = text.chars();
    let first: String = rest
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", rest.as_str())
}

fn row(path: &str, found: Found) -> String {
    let key = found.key;
    let default = match (key.default, key.original.default) {
        (Some(ours), Some(theirs)) => format!("`{ours}` (OpenZiti: `{theirs}`)"),
        (Some(ours), None) => format!("`{ours}`"),
        _ => String::new(),
    };
    let required = if key.required { "; required" } else { "" };
    let meaning = match key.state {
        State::Live => key.doc.to_owned(),
        State::Dead(_) => sentence(key.state),
        _ => format!("{} ({})", key.doc, state(key.state).unwrap_or_default()),
    };
    let bounds = bounds(key.kind).unwrap_or_default();
    format!(
        "| `{path}` | {}{required} | {default} | {bounds} | {meaning} |\n",
        form(key.kind)
    )
}
