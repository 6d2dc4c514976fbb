//! Values of the controller.

use super::Gathered;
use super::metrics;
use super::names::RequestedNames;
use crate::app::App;
use crate::error::AppError;
use crate::fabric::circuits::{self, all_circuits};
use crate::fabric::links;
use crate::fabric::names::Names;
use portcullis_domain::view::{ConnectedRouter, InspectedValue};

/// Maximum number of circuits that an inspection shows; it is held in memory as a whole.
const MAX_CIRCUITS: usize = 10_000;

/// About what a router, link or circuit takes as JSON, bytes.
const ENTRY_BYTES: usize = 1024;

/// What is shown of threads.
const NO_STACKS: &str = "the controller is a Rust program: it has no stacks to show";

/// Adds the values that this controller has.
pub(super) fn add_values(
    app: &App,
    known: &mut Names<'_>,
    (id, names): (&str, &RequestedNames),
    gathered: &mut Gathered,
) -> Result<(), AppError> {
    for name in &*names.0 {
        match value(app, known, &name.to_lowercase())? {
            Ok(None) => {},
            Ok(Some(value)) => {
                let bytes = bytes(&value);
                gathered.add((id, name), value, bytes);
            },
            Err(reason) => gathered.fail(id, &reason),
        }
    }
    Ok(())
}

/// The value with this name in lower case, if there is one, or the reason why it is not shown.
fn value(
    app: &App,
    names: &mut Names<'_>,
    name: &str,
) -> Result<Result<Option<InspectedValue>, String>, AppError> {
    let network = app.live_network();
    let value = match name {
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
        // Whatever it goes on with, as at OpenZiti's controllers.
        name if name.starts_with("metrics") => InspectedValue::Text(metrics::own(app)),
        "config" => {
            let shown = app.shown_config().map(str::to_owned);
            return Ok(Ok(shown.map(InspectedValue::Text)));
        },
        "stackdump" => InspectedValue::Text(NO_STACKS.to_owned()),
        other => {
            let own = app.network_inspection().own_value(other);
            return Ok(own.map(|value| value.map(InspectedValue::Text)));
        },
    };
    Ok(Ok(Some(value)))
}

/// About what a value takes as JSON.
fn bytes(value: &InspectedValue) -> usize {
    match value {
        InspectedValue::ConnectedRouters(routers) => routers.len() * ENTRY_BYTES,
        InspectedValue::Links(links) => links.len() * ENTRY_BYTES,
        InspectedValue::Circuits(circuits) => circuits.len() * ENTRY_BYTES,
        InspectedValue::Text(text) => text.len(),
    }
}
