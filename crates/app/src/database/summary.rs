//! Number of entities by kind.

use super::ReadSummary;
use crate::app::App;
use crate::error::AppError;
use portcullis_domain::access::Permit;
use portcullis_domain::identity::IdentityType;
use portcullis_domain::posture_check::CheckSupport;
use portcullis_storage::tables::{COLLECTIONS, RecordCounts};
use std::borrow::Cow;

/// Number of entities by the names that clients know.
pub type Summary = Vec<(Cow<'static, str>, u64)>;

/// Built-in entities. There are no eventual events.
const BUILT_IN_COUNTS: [(&str, usize); 4] = [
    ("controllers", 1),
    ("eventualEvents", 0),
    ("identityTypes", IdentityType::ALL.len()),
    ("postureCheckTypes", CheckSupport::ALL.len()),
];

/// Counts all entities without reading their records.
pub fn summary(app: &App, _permit: &Permit<ReadSummary>) -> Result<Summary, AppError> {
    let edge_routers = app.require_lists()?.routers().columns().edge().len();
    let snapshot = app.engine.snapshot()?;
    let mut counts = vec![("routers.edge".into(), edge_routers)];
    for (collection, kind) in COLLECTIONS {
        let count = RecordCounts::expected(&*snapshot, *kind)?;
        counts.push((camel_case(collection).into(), count));
    }
    let built_in = BUILT_IN_COUNTS
        .map(|(name, count)| (name.into(), u64::try_from(count).unwrap_or(u64::MAX)));
    counts.extend(built_in);
    Ok(counts)
}

/// `edge-router-policies` as `edgeRouterPolicies`.
fn camel_case(collection: &str) -> String {
    let mut words = collection.split('-');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
    }
    name
}
