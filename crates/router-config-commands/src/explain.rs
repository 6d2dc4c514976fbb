//! `portcullis router-config explain`.

use crate::console::{Console, DocumentFormat};
use crate::failure::Failure;
use clap::Args;
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;
use portcullis_key_table::{complete_path, sections, text};
use portcullis_router_config::table::{PathError, RouterFile};
use portcullis_router_config::{Explanation, explain};
use serde_json::Value;
use std::ffi::OsStr;

const EXAMPLES: &str = "\
List indexes are optional. If keys depend on the binding of an entry, all variants are shown;
`listeners[tunnel]` selects one. docs/router-config.md describes all keys.

Examples:
  portcullis router-config explain
  portcullis router-config explain ctrl.endpoints
  portcullis router-config explain link.dialers[0].split
  portcullis router-config explain listeners[tunnel].options.mode";

/// Arguments of `router-config explain`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ExplainArgs {
    /// Dotted path of the key (default: all sections)
    #[arg(value_name = "KEY.PATH", add = ArgValueCompleter::new(complete_key))]
    path: Option<String>,
}

/// Candidates for a key that is being typed.
fn complete_key(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_str().unwrap_or_default();
    let found = complete_path::<RouterFile>(typed).into_iter();
    let found = found.map(|(path, doc)| CompletionCandidate::new(path).help(Some(doc.into())));
    found.collect()
}

pub(crate) fn run<C: Console>(console: &C, arguments: &ExplainArgs) -> Result<(), C::Error> {
    let found = match arguments.path.as_deref() {
        None => sections::<RouterFile>(),
        Some(path) => {
            explain(path).map_err(|error| unknown_key(console.command(), path, &error))?
        },
    };
    if console.format() != DocumentFormat::Text {
        let found: Vec<Value> = found.iter().map(Explanation::to_json).collect();
        return console.write_document(&Value::Array(found));
    }
    console.write(&match arguments.path {
        None => text::list(&found),
        Some(_) => text::details(&found),
    })
}

/// Error for an unknown path, with suggestions.
fn unknown_key(command: &str, path: &str, error: &PathError) -> Failure {
    let mut failure = Failure::usage(error.to_string());
    if let Some(suggestion) = text::suggest_paths::<RouterFile>(path) {
        failure = failure.hint(suggestion);
    }
    failure.hint(format!("`{command} explain` lists the sections"))
}
