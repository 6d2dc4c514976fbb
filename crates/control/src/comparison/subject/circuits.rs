//! Circuits.

use super::Subject;
use crate::comparison::look::Look;
use crate::plane::Plane;
use portcullis_app::AppError;
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::CircuitId;
use portcullis_fabric::Moment;
use portcullis_validation as validation;
use portcullis_validation::{Answer, ComparedCircuit, Comparison, Known, KnownCircuit, Router};

/// Circuits that are looked through before others get to see the network.
const BATCH: usize = 1024;

pub(in crate::comparison) struct Circuits;

impl Subject for Circuits {
    type Id = CircuitId;
    /// Since when there is the circuit.
    type Known = Moment;
    type Entry = ComparedCircuit;

    const INSPECTIONS: &'static [&'static str] = &validation::CIRCUIT_INSPECTIONS;

    /// The established circuits whose path has the router. Those that are being dialed may be at any router.
    fn look(
        plane: &Plane,
        _permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        let mut look = Look::settled(Known::new());
        let mut last = None;
        loop {
            let (seen, next) = plane.network.read(|fabric| {
                let slot = fabric.network().find_router(&router.id);
                let (mut seen, mut next) = (0, None);
                for circuit in fabric.circuits_after(last.as_ref()).take(BATCH) {
                    seen += 1;
                    next = Some(circuit.names.circuit.clone());
                    let is_on_path =
                        slot.is_some_and(|slot| circuit.path.routers().contains(&slot));
                    let id = || CircuitId::from_wire(circuit.names.circuit.as_str());
                    if !circuit.is_open {
                        look.unsettled.insert(id());
                    } else if is_on_path {
                        look.known.insert(id(), circuit.created);
                    }
                }
                (seen, next)
            });
            if seen < BATCH {
                return Ok(look);
            }
            last = next;
        }
    }

    fn compare(
        plane: &Plane,
        router: &Router,
        known: &Known<CircuitId, Moment>,
        answer: Answer<'_>,
    ) -> Comparison<ComparedCircuit> {
        let controller = plane.app.network().serving_state().controller.id.clone();
        let known = known.iter().map(|(id, created)| {
            let circuit = KnownCircuit {
                path: vec![router.id.clone()],
                since: Some(plane.wall_time(*created)),
            };
            (id.clone(), circuit)
        });
        validation::compare_circuits(router, &controller, &known.collect(), answer)
    }

    fn id(entry: &ComparedCircuit) -> &CircuitId {
        &entry.circuit
    }

    fn has_just_ended(plane: &Plane, id: &CircuitId) -> bool {
        plane.network.has_just_ended(id)
    }
}
