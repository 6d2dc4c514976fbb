//! `portcullis router-config explain`.

use crate::error::CliError;
use crate::output::{self, Format, Output};
use clap::Args;
use portcullis_router_config::table::{Found, PathError, ROOT, walk};
use portcullis_router_config::{Explanation, explain};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Positions in lists may be left out. Where keys depend on the binding of an entry, all meanings are
told; `listeners[tunnel]` names one of them. docs/router-config.md holds the same for all keys.

Examples:
  portcullis router-config explain
  portcullis router-config explain ctrl.endpoints
  portcullis router-config explain link.dialers[0].split
  portcullis router-config explain listeners[tunnel].options.mode";

/// Most places of a key that are named when it is asked for without its section.
const MOST_PLACES: usize = 8;

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
    output::write(&format!("{}\n", texts.concat().trim_end()))
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
    format!("{:24} {about}\n", section.path)
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
    match places.split_at_checked(MOST_PLACES) {
        _ if places.is_empty() => {},
        Some((shown, rest)) if !rest.is_empty() => {
            let shown = shown.join(", ");
            failure = failure.hint(format!("there are {shown} and {} more", rest.len()));
        },
        _ => failure = failure.hint(format!("there is {}", places.join(", "))),
    }
    failure.hint("`portcullis router-config explain` lists the sections")
}

/// Where in the file keys of that name stand, whatever the case of their letters.
fn places(name: &str) -> Vec<String> {
    let mut places = Vec::new();
    walk(&mut |path, found: Found| {
        if found.key.name.eq_ignore_ascii_case(name) {
            places.push(path.to_owned());
        }
    });
    places
}
