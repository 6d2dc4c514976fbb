//! What operators of the fabric see that no record stands for: links, circuits, and the inside of
//! controllers and routers.
//!
//! Routers make links and circuits. None is connected to this controller yet, so there are none.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, Paging, Parameters, Schema};
use portcullis_domain::FieldError;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};
use regex::RegexBuilder;

actions! {
    /// Reads links and circuits.
    Read = Access::Granted(Subject::Ops, Verb::Read);
    /// Changes links.
    Update = Access::Granted(Subject::Ops, Verb::Update);
    /// Ends links and circuits.
    Delete = Access::Granted(Subject::Ops, Verb::Delete);
    /// Looks into controllers and routers.
    Inspect = Access::GrantedByName(Subject::Ops, Verb::Read);
    /// Manages the cluster of controllers.
    ManageCluster = Access::Admin;
}

/// Where a page of a list lies that has no entries.
pub fn nothing(schema: &'static Schema, parameters: &Parameters<'_>) -> Result<Paging, AppError> {
    let listing = listing::read(schema, parameters)?;
    Ok(Paging::of(&listing, 0))
}

/// What was seen by looking into those that a request names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// The id of this controller, if it was asked.
    pub controller: Option<String>,
    /// What was asked for and is known, each with the entries that it has: none.
    pub known: Vec<String>,
    /// What was asked for and is not known.
    pub unknown: Vec<String>,
}

/// What can be looked at: lists of what routers bring, all of them empty.
const KNOWN: [&str; 3] = ["circuits", "connected-routers", "links"];

/// Bytes that a compiled expression may take; ids are short, and so is what finds them.
const LARGEST_EXPRESSION: usize = 256 * 1024;

/// Most values of one request.
const MOST_VALUES: usize = 100;

/// Looks into those whose ids match an expression. Routers would be asked too, if any was connected.
///
/// # Errors
///
/// [`AppError::Field`] for an expression that is none, and for too many values.
pub fn inspect(app: &App, expression: &str, names: &[String]) -> Result<Inspection, AppError> {
    let matches = RegexBuilder::new(expression)
        .size_limit(LARGEST_EXPRESSION)
        .build()
        .map_err(|error| {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "is too complex; shorten it",
                _ => "is not a valid regular expression",
            };
            FieldError::new("appRegex", reason, expression)
        })?;
    if names.len() > MOST_VALUES {
        let reason = format!("must have at most {MOST_VALUES} entries");
        let count = names.len().to_string();
        return Err(FieldError::new("requestedValues", reason, count).into());
    }
    let id = app.network().served().controller.id.to_string();
    if !matches.is_match(&id) {
        return Ok(Inspection::default());
    }
    let (known, unknown) = names
        .iter()
        .cloned()
        .partition(|name| KNOWN.contains(&name.to_lowercase().as_str()));
    Ok(Inspection {
        controller: Some(id),
        known,
        unknown,
    })
}
