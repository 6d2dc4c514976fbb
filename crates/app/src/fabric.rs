//! Links, circuits and inspection, which have no records.
//!
//! Links and circuits are created by routers. Routers cannot connect to this controller yet, so
//! there are none.

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
    /// Inspects controllers and routers.
    Inspect = Access::GrantedExplicitly(Subject::Ops, Verb::Read);
    /// Manages the cluster of controllers.
    ManageCluster = Access::Admin;
}

/// Position of a page of an empty list.
pub fn empty_page(
    schema: &'static Schema,
    parameters: &Parameters<'_>,
) -> Result<Paging, AppError> {
    let listing = listing::parse(schema, parameters)?;
    Ok(Paging::from_listing(&listing, 0))
}

/// Result of an inspection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InspectResult {
    /// The id of this controller, if it matched.
    pub controller: Option<String>,
    /// The requested values that exist; all of them are empty lists.
    pub known: Vec<String>,
    /// The requested values that do not exist.
    pub unknown: Vec<String>,
}

/// Values that can be inspected: lists about routers, all of them empty.
const KNOWN_VALUES: [&str; 3] = ["circuits", "connected-routers", "links"];

/// Maximum size of a compiled expression, bytes; ids and useful expressions are short.
const MAX_EXPRESSION_BYTES: usize = 256 * 1024;

/// Maximum number of values per request.
const MAX_VALUES: usize = 100;

/// Inspects the controllers and routers whose ids match an expression. No router is connected yet.
///
/// # Errors
///
/// [`AppError::Field`] for an invalid expression, and for too many values.
pub fn inspect(app: &App, expression: &str, names: &[String]) -> Result<InspectResult, AppError> {
    let matches = RegexBuilder::new(expression)
        .size_limit(MAX_EXPRESSION_BYTES)
        .build()
        .map_err(|error| {
            let reason = match error {
                regex::Error::CompiledTooBig(_) => "is too complex; shorten it",
                _ => "is not a valid regular expression",
            };
            FieldError::new("appRegex", reason, expression)
        })?;
    if names.len() > MAX_VALUES {
        let reason = format!("must have at most {MAX_VALUES} entries");
        let count = names.len().to_string();
        return Err(FieldError::new("requestedValues", reason, count).into());
    }
    let id = app.network().serving_state().controller.id.to_string();
    if !matches.is_match(&id) {
        return Ok(InspectResult::default());
    }
    let (known, unknown) = names
        .iter()
        .cloned()
        .partition(|name| KNOWN_VALUES.contains(&name.to_lowercase().as_str()));
    Ok(InspectResult {
        controller: Some(id),
        known,
        unknown,
    })
}
