//! Inspection of controllers.

use super::circuits::{self, all_circuits};
use super::links;
use super::names::Names;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::FieldError;
use portcullis_domain::view::{ConnectedRouter, InspectedValue};
use regex::RegexBuilder;

/// Result of an inspection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InspectResult {
    /// The id of this controller, if it matched.
    pub controller: Option<String>,
    /// Values by the names that were requested.
    pub values: Vec<(String, InspectedValue)>,
    /// Why values are missing.
    pub errors: Vec<String>,
}

/// Maximum size of a compiled expression, bytes; ids and useful expressions are short.
const MAX_EXPRESSION_BYTES: usize = 256 * 1024;

/// Maximum number of values per request.
const MAX_VALUES: usize = 100;

/// Maximum number of circuits that an inspection shows; it is held in memory as a whole.
const MAX_CIRCUITS: usize = 10_000;

/// Inspects the controllers whose ids match an expression. It may take a while, so it belongs on a
/// blocking thread.
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
    let mut result = InspectResult::default();
    let view = app.snapshot()?;
    let mut known = Names::new(view.rows());
    for name in names {
        match inspect_value(app, &mut known, name)? {
            Ok(value) => result.values.push((name.clone(), value)),
            Err(reason) => result.errors.push(format!("{id}: {reason}")),
        }
    }
    result.controller = Some(id);
    Ok(result)
}

/// The value with this name in any letter case, or the reason why there is none.
fn inspect_value(
    app: &App,
    names: &mut Names<'_>,
    name: &str,
) -> Result<Result<InspectedValue, String>, AppError> {
    let network = app.live_network();
    Ok(Ok(match name.to_lowercase().as_str() {
        "connected-routers" => {
            let routers = network.online_routers();
            let routers = routers.iter().map(|id| {
                Ok(ConnectedRouter {
                    router: names.router(id)?,
                    connection: network.router(id),
                })
            });
            InspectedValue::ConnectedRouters(routers.collect::<Result<_, AppError>>()?)
        },
        "links" => {
            let links = network.links().into_iter();
            let links = links.map(|link| links::named(names, link));
            InspectedValue::Links(links.collect::<Result<_, _>>()?)
        },
        "circuits" => {
            let circuits: Vec<_> = all_circuits(network).take(MAX_CIRCUITS + 1).collect();
            if circuits.len() > MAX_CIRCUITS {
                let reason =
                    format!("there are more than {MAX_CIRCUITS} circuits; list them page by page");
                return Ok(Err(reason));
            }
            let circuits = circuits.into_iter();
            let circuits = circuits.map(|circuit| circuits::named(names, circuit));
            InspectedValue::Circuits(circuits.collect::<Result<_, _>>()?)
        },
        _ => return Ok(Err(format!("unknown value {name:?}"))),
    }))
}
