//! Reference page of the configuration file, in Markdown.

use std::fmt::Write as _;

use crate::codes;
use crate::explain::{describe_bounds, describe_state, describe_type};
use crate::table::{BindingVariant, KeyMatch, KeyState, ROOT, ValueType, visit_keys};

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
    for section in ROOT {
        write_section(&mut page, section.name);
    }
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

fn write_section(page: &mut String, section: &str) {
    let mut rows = String::new();
    let mut intro = String::new();
    visit_keys(&mut |path, found| {
        let top = path.split(['.', '[']).next().unwrap_or_default();
        if top != section {
            return;
        }
        if path == section {
            intro = section_intro(found);
        }
        if path != section || !is_section(found.key.value_type) {
            rows.push_str(&key_row(path, found));
        }
    });
    let heading = format!("\n## {section}\n\n{intro}");
    page.push_str(&heading);
    if !rows.is_empty() {
        page.push_str("\n| Key | Form | Default | Bounds | Meaning |\n|---|---|---|---|---|\n");
        page.push_str(&rows);
    }
}

fn is_section(kind: ValueType) -> bool {
    matches!(
        kind,
        ValueType::Map(_) | ValueType::MapList(_) | ValueType::BindingList(_)
    )
}

fn section_intro(found: KeyMatch) -> String {
    let required = if found.key.required { " Required." } else { "" };
    let mut text = match found.key.state {
        KeyState::Active => format!("{}{required}\n", found.key.doc),
        other => format!("{}\n", sentence(other)),
    };
    if let ValueType::BindingList(variants) = found.key.value_type {
        text.push_str("\n| Binding | Meaning |\n|---|---|\n");
        for BindingVariant { binding, doc, .. } in variants {
            // Writing into a string cannot fail.
            let _ = writeln!(text, "| `{binding}` | {doc} |");
        }
    }
    text
}

/// The state of a key as a sentence of its own.
fn sentence(of: KeyState) -> String {
    let text = describe_state(of).unwrap_or_default();
    let mut rest = text.chars();
    let first: String = rest
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", rest.as_str())
}

fn key_row(path: &str, found: KeyMatch) -> String {
    let key = found.key;
    let default = match (key.default, key.openziti.default) {
        (Some(ours), Some(theirs)) => format!("`{ours}` (OpenZiti: `{theirs}`)"),
        (Some(ours), None) => format!("`{ours}`"),
        _ => String::new(),
    };
    let required = if key.required { "; required" } else { "" };
    let meaning = match key.state {
        KeyState::Active => key.doc.to_owned(),
        KeyState::Dead(_) => sentence(key.state),
        _ => format!(
            "{} ({})",
            key.doc,
            describe_state(key.state).unwrap_or_default()
        ),
    };
    let bounds = describe_bounds(key.value_type).unwrap_or_default();
    format!(
        "| `{path}` | {}{required} | {default} | {bounds} | {meaning} |\n",
        describe_type(key.value_type)
    )
}
