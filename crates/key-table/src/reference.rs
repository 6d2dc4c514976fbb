//! Sections of the reference page, in Markdown.

use std::fmt::Write as _;

use crate::explain::{describe_bounds, describe_state, describe_type};
use crate::key::{BindingVariant, ConfigFile, KeyState, ValueType};
use crate::lookup::{KeyMatch, visit_keys};

/// Writes a part per section of the file, in Markdown, each with a heading of the second level.
pub fn reference_sections<F: ConfigFile>() -> String {
    let mut page = String::new();
    for section in F::ROOT {
        write_section::<F>(&mut page, section.name);
    }
    page
}

fn write_section<F: ConfigFile>(page: &mut String, section: &str) {
    let mut rows = String::new();
    let mut intro = String::new();
    visit_keys(&mut |path, found: KeyMatch<F>| {
        let top = path.split(['.', '[']).next().unwrap_or_default();
        if top != section {
            return;
        }
        if path == section {
            intro = section_intro(found);
        }
        let is_told =
            is_section(found.key.value_type) || matches!(found.key.state, KeyState::Dead(_));
        if path != section || !is_told {
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

fn is_section<F: ConfigFile>(kind: ValueType<F>) -> bool {
    matches!(
        kind,
        ValueType::Map(_)
            | ValueType::NamedMaps(_)
            | ValueType::MapList(_)
            | ValueType::BindingList(_)
    )
}

fn section_intro<F: ConfigFile>(found: KeyMatch<F>) -> String {
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

fn key_row<F: ConfigFile>(path: &str, found: KeyMatch<F>) -> String {
    let key = found.key;
    let default = match (key.default, F::openziti_default(&key.openziti)) {
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
