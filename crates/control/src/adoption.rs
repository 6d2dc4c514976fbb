//! Circuits that routers carry and the controller does not know, because it was restarted.

use crate::plane::Plane;
use crate::translate::{CarriedReport, Origin};
use portcullis_domain::ids::RecordNumber;
use portcullis_fabric::{CarriedCircuit, Claim};

/// Judges what a router says of the origin of a circuit: whether whoever has dialed it may.
pub(crate) fn judge(plane: &Plane, router: RecordNumber, report: CarriedReport) -> CarriedCircuit {
    let claim = report
        .origin
        .map_or(Claim::Unknown, |origin| claim(plane, router, origin));
    CarriedCircuit {
        id: report.id,
        forwards: report.forwards,
        claim,
    }
}

fn claim(_plane: &Plane, _router: RecordNumber, _origin: Origin) -> Claim {
    Claim::Unknown
}
