//! `portcullis router-config explain`.

use crate::error::CliError;
use crate::output::{self, Format, Output};
use clap::Args;
use portcullis_router_config::table::{KeyMatch, PathError, ROOT, visit_keys};
use portcullis_router_config::{Explanation, explain};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
List indexes are optional. If keys depend on the binding of an entry, all variants are shown;
`listeners[tunnel]` selects one. docs/router-config.md describes all keys.

Examples:
  portcullis router-config explain
  portcullis router-config explain ctrl.endpoints
  portcullis router-config explain link.dialers[0].split
  portcullis router-config explain listeners[tunnel].options.mode";

/// Most paths to suggest for an unknown path.
const MAX_SUGGESTIONS: usize = 8;

/// Column of section descriptions.
const SECTION_COLUMN: usize = 20;
/// Column of property values.
const LABEL_COLUMN: usize = 12;
/// Widest line, in characters.
const MAX_LINE_WIDTH: usize = 100;

/// Arguments of `router-config explain`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// Dotted path of the key (default: all sections)
    #[arg(value_name = "KEY.PATH")]
    path: Option<String>,
}

pub(super) fn run(output: Format, arguments: &ExplainArgs) -> Result<(), CliError> {
    let found = match arguments.path.as_deref() {
        None => sections()?,
        Some(path) => explain(path).map_err(|error| unknown_key(path, &error))?,
    };
    if output != Format::Table {
        let found: Vec<Value> = found.iter().map(to_json).collect();
        return Output::new(output).write_document(&found);
    }
    let texts: Vec<String> = match arguments.path {
        None => found.iter().map(section_line).collect(),
        Some(_) => found.iter().map(|each| format!("{each}\n")).collect(),
    };
    output::write(&wrap(texts.concat().trim_end()))
}

/// Explanations of the top-level keys.
fn sections() -> Result<Vec<Explanation>, CliError> {
    let mut found = Vec::new();
    for key in ROOT {
        found.extend(explain(key.name).map_err(|error| unknown_key(key.name, &error))?);
    }
    Ok(found)
}

fn section_line(section: &Explanation) -> String {
    let about = section.state.as_deref().unwrap_or(section.doc);
    format!("{:SECTION_COLUMN$}{about}\n", section.path)
}

fn to_json(explanation: &Explanation) -> Value {
    json!({
        "path": explanation.path,
        "binding": explanation.binding,
        "meaning": explanation.doc,
        "form": explanation.value_format,
        "required": explanation.required,
        "default": explanation.default,
        "openzitiDefault": explanation.openziti_default,
        "bounds": explanation.bounds,
        "state": explanation.state,
        "example": explanation.example,
        "keys": explanation.keys,
    })
}

/// Error for an unknown path, with suggestions.
fn unknown_key(path: &str, error: &PathError) -> CliError {
    let mut failure = CliError::usage(error.to_string());
    let last = path.rsplit('.').next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default();
    let places = find_paths(name);
    if !places.is_empty() {
        let shown: Vec<&str> = places
            .iter()
            .take(MAX_SUGGESTIONS)
            .map(String::as_str)
            .collect();
        let more = match places.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        failure = failure.hint(format!("did you mean {}{more}?", shown.join(", ")));
    }
    failure.hint("`portcullis router-config explain` lists the sections")
}

/// Paths of all keys with a name, case-insensitively.
fn find_paths(name: &str) -> Vec<String> {
    let mut places = Vec::new();
    visit_keys(&mut |path, found: KeyMatch| {
        if found.key.name.eq_ignore_ascii_case(name) {
            let place = without_bindings(path);
            if !places.contains(&place) {
                places.push(place);
            }
        }
    });
    places
}

/// Replaces `listeners[edge].bind` by `listeners[].bind`.
fn without_bindings(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |place, part| {
        let rest = part.split_once(']').map_or("", |(_, rest)| rest);
        place + "[]" + rest
    })
}

/// Wraps lines with a hanging indent.
fn wrap(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let margin = match line.find(":  ") {
            Some(_) if line.starts_with("  ") => LABEL_COLUMN,
            _ if line.starts_with("  ") => 2,
            _ => SECTION_COLUMN,
        };
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let width = word.chars().count();
            if column + width > MAX_LINE_WIDTH && column > margin {
                wrapped.truncate(wrapped.trim_end().len());
                wrapped.push('\n');
                wrapped.push_str(&" ".repeat(margin));
                column = margin;
            }
            wrapped.push_str(word);
            column += width;
        }
        wrapped.push('\n');
    }
    wrapped
}
