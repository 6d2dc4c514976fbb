//! Number of entities by kind.

use super::ReadSummary;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Permit;
use portcullis_domain::identity::IdentityType;
use portcullis_domain::posture_check::CheckSupport;
use portcullis_storage::tables::{COLLECTIONS, RecordCounts};

/// Number of entities by collection.
pub type Summary = Vec<(&'static str, u64)>;

/// What is counted beside the collections.
pub(super) const EDGE_ROUTERS: &str = "routers.edge";

/// Built-in entities. There are no eventual events.
const BUILT_IN_COUNTS: [(&str, usize); 4] = [
    ("controllers", 1),
    ("eventual-events", 0),
    ("identity-types", IdentityType::ALL.len()),
    ("posture-check-types", CheckSupport::ALL.len()),
];

/// Counts all entities without reading their records.
pub fn summary(app: &App, _permit: &Permit<ReadSummary>) -> Result<Summary, AppError> {
    count(app)
}

pub(super) fn count(app: &App) -> Result<Summary, AppError> {
    let edge_routers = app.require_lists()?.routers().columns().edge().len();
    let snapshot = app.engine.snapshot()?;
    let mut counts = vec![(EDGE_ROUTERS, edge_routers)];
    for (collection, kind) in COLLECTIONS {
        counts.push((*collection, RecordCounts::expected(&*snapshot, *kind)?));
    }
    let built_in =
        BUILT_IN_COUNTS.map(|(name, count)| (name, u64::try_from(count).unwrap_or(u64::MAX)));
    counts.extend(built_in);
    Ok(counts)
}
