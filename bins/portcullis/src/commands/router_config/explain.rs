//! `portcullis router-config explain`.

use crate::error::CliError;
use crate::output::{self, Format, Output};
use clap::Args;
use portcullis_router_config::table::{Found, PathError, ROOT, walk};
use portcullis_router_config::{Explanation, explain};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Positions in lists may be left out. If keys depend on the binding of an entry, all meanings are
shown; `listeners[tunnel]` selects one. docs/router-config.md describes all keys.

Examples:
  portcullis router-config explain
  portcullis router-config explain ctrl.endpoints
  portcullis router-config explain link.dialers[0].split
  portcullis router-config explain listeners[tunnel].options.mode";

/// Most places of a key that are named when it is asked for without its section.
const MOST_PLACES: usize = 8;

/// Columns before what is said about a section.
const SECTIONS: usize = 20;
/// Columns before what is said about a property of a key.
const LABELS: usize = 12;
/// Widest line of an explanation.
const WIDEST: usize = 100;

/// Arguments of `router-config explain`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// Keys from the outermost to the one meant, joined by dots; all sections if left out
    #[arg(value_name = "KEY.PATH")]
    path: Option<String>,
}

pub(super) fn run(output: Format, arguments: &ExplainArgs) -> Result<(), CliError> {
    let found = match arguments.path.as_deref() {
        None => sections()?,
        Some(path) => explain(path).map_err(|error| unknown(path, &error))?,
    };
    if output != Format::Table {
        let found: Vec<Value> = found.iter().map(document).collect();
        return Output::new(output).document(&found);
    }
    let texts: Vec<String> = match arguments.path {
        None => found.iter().map(line).collect(),
        Some(_) => found.iter().map(|each| format!("{each}\n")).collect(),
    };
    output::write(&wrapped(texts.concat().trim_end()))
}

/// The outermost keys.
fn sections() -> Result<Vec<Explanation>, CliError> {
    let mut found = Vec::new();
    for key in ROOT {
        found.extend(explain(key.name).map_err(|error| unknown(key.name, &error))?);
    }
    Ok(found)
}

fn line(section: &Explanation) -> String {
    let about = section.state.as_deref().unwrap_or(section.doc);
    format!("{:SECTIONS$}{about}\n", section.path)
}

fn document(explanation: &Explanation) -> Value {
    json!({
        "path": explanation.path,
        "binding": explanation.binding,
        "meaning": explanation.doc,
        "form": explanation.form,
        "required": explanation.required,
        "default": explanation.default,
        "openzitiDefault": explanation.original_default,
        "bounds": explanation.bounds,
        "state": explanation.state,
        "example": explanation.example,
        "keys": explanation.keys,
    })
}

/// Says what may have been meant.
fn unknown(path: &str, error: &PathError) -> CliError {
    let mut failure = CliError::usage(error.to_string());
    let last = path.rsplit('.').next().unwrap_or_default();
    let name = last.split('[').next().unwrap_or_default();
    let places = places(name);
    if !places.is_empty() {
        let shown: Vec<&str> = places
            .iter()
            .take(MOST_PLACES)
            .map(String::as_str)
            .collect();
        let more = match places.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        failure = failure.hint(format!("such a key is {}{more}", shown.join(", ")));
    }
    failure.hint("`portcullis router-config explain` lists the sections")
}

/// Where in the file keys of that name stand, whatever the case of their letters.
fn places(name: &str) -> Vec<String> {
    let mut places = Vec::new();
    walk(&mut |path, found: Found| {
        if found.key.name.eq_ignore_ascii_case(name) {
            let place = without_bindings(path);
            if !places.contains(&place) {
                places.push(place);
            }
        }
    });
    places
}

/// Writes `listeners[].bind` for `listeners[edge].bind`.
fn without_bindings(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |place, part| {
        let rest = part.split_once(']').map_or("", |(_, rest)| rest);
        place + "[]" + rest
    })
}

/// Breaks lines between words; what goes on stands below its beginning.
fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let margin = match line.find(":  ") {
            Some(_) if line.starts_with("  ") => LABELS,
            _ if line.starts_with("  ") => 2,
            _ => SECTIONS,
        };
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            let width = word.chars().count();
            if column + width > WIDEST && column > margin {
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
