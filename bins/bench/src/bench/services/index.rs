//! What the index of a network takes, by its own count.

use portcullis_domain::change::Change;
use portcullis_index::Projections;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Record, roots};
use portcullis_storage_redb::RedbEngine;
use std::ops::ControlFlow;

/// Memory in bytes.
pub(super) struct Weight {
    /// Policies, and all that they select, with who may use what.
    pub(super) whole: u64,
    /// Who may use what.
    pub(super) access: u64,
}

/// Builds the index of a store as a controller does, and weighs it.
pub(super) fn weigh(engine: &RedbEngine<Change>) -> anyhow::Result<Weight> {
    let projections = Projections::default();
    projections.begin_load();
    let snapshot = engine.snapshot()?;
    for root in roots() {
        snapshot.scan(&RecordKey::all(root), &mut |key, frame| {
            if let Some(change) = Record::from_row(key, frame)?.change()? {
                projections.load_put(&change);
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    projections.finish_load(snapshot.revision()?);
    let guard = projections.access();
    let access = guard.access().heap_bytes();
    let selected = guard.identities().heap_bytes()
        + guard.services().heap_bytes()
        + guard.routers().heap_bytes()
        + guard.posture_checks().heap_bytes();
    let policies = guard.service_policies().heap_bytes()
        + guard.edge_router_policies().heap_bytes()
        + guard.service_edge_router_policies().heap_bytes();
    Ok(Weight {
        whole: u64::try_from(access + selected + policies)?,
        access: u64::try_from(access)?,
    })
}
