//! Circuits, over which clients and hosts exchange data.

use super::names::Names;
use super::{Delete, Read, audited};
use crate::app::App;
use crate::error::AppError;
use crate::listing::kinds::{CIRCUITS, CircuitRow};
use crate::listing::{self, ListRequest, Paging};
use crate::live_network::LiveNetwork;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::CircuitId;
use portcullis_domain::view::{CircuitView, NamedCircuit};
use std::ops::ControlFlow;

/// Circuits that are read at a time: a millisecond's worth or so.
const BATCH: usize = 1024;

/// Lists the circuits.
pub fn list_circuits(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(NamedCircuit) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = listing::parse(&CIRCUITS, &request.parameters)?;
    let circuits = all_circuits(app.live_network()).map(CircuitRow);
    let view = app.snapshot()?;
    let mut names = Names::new(view.rows());
    listing::show_page(
        &listing,
        circuits,
        request.is_cancelled,
        &mut |CircuitRow(circuit)| Ok(show(named(&mut names, circuit)?)),
    )
}

/// Reads a circuit.
pub fn read_circuit(
    app: &App,
    _permit: &Permit<Read>,
    id: &CircuitId,
) -> Result<NamedCircuit, AppError> {
    let circuit = app.live_network().circuit(id);
    let circuit = circuit.ok_or_else(|| not_found(id))?;
    named(&mut Names::new(app.snapshot()?.rows()), circuit)
}

/// Ends a circuit. What is on its way is dropped if `immediate`.
pub async fn delete_circuit(
    app: &App,
    permit: &Permit<Delete>,
    id: &CircuitId,
    immediate: bool,
) -> Result<(), AppError> {
    if app.live_network().circuit(id).is_none() {
        return Err(not_found(id));
    }
    audited(app, permit, "circuit.delete", id.as_str()).await?;
    if app.live_network().remove_circuit(id, immediate) {
        Ok(())
    } else {
        Err(not_found(id))
    }
}

/// All circuits by id. Those that begin or end meanwhile may be missing.
pub(super) fn all_circuits(network: &dyn LiveNetwork) -> impl Iterator<Item = CircuitView> {
    let mut last: Option<CircuitId> = None;
    std::iter::from_fn(move || {
        let batch = network.circuits_after(last.as_ref(), BATCH);
        last = Some(batch.last()?.id.clone());
        Some(batch)
    })
    .flatten()
}

fn not_found(id: &CircuitId) -> AppError {
    AppError::not_found("circuit", id.as_str())
}

pub(super) fn named(names: &mut Names<'_>, circuit: CircuitView) -> Result<NamedCircuit, AppError> {
    let routers = circuit.path.routers.iter();
    Ok(NamedCircuit {
        service: names.service(&circuit.service)?,
        routers: routers
            .map(|router| names.router(router))
            .collect::<Result<_, _>>()?,
        circuit,
    })
}
