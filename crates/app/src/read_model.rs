//! The read model: loaded from the store, and kept current with it.

use portcullis_domain::change::Change;
use portcullis_index::Projections;
use portcullis_storage::engine::{Engine, Observer, StoreError};
use portcullis_storage::feed::CommitGroup;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Record, RecordCounts, roots};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Applies each commit to the read model.
#[derive(Debug)]
pub struct ProjectionUpdater(pub Arc<Projections>);

impl Observer<Change> for ProjectionUpdater {
    fn on_commit(&self, group: &Arc<CommitGroup<Change>>) {
        self.0.apply(group.revision, &group.changes);
    }
}

/// Loads the read model and checks the store; returns what is damaged.
///
/// A [`ProjectionUpdater`] must observe the engine already. Once `is_cancelled`, loading ends early and the
/// read model stays incomplete.
pub fn load(
    engine: &dyn Engine<Change>,
    projections: &Projections,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<String>, StoreError> {
    projections.begin_load();
    let snapshot = engine.snapshot()?;
    let mut damage = Vec::new();
    for root in roots() {
        snapshot.scan(&RecordKey::all(root), &mut |key, frame| {
            match Record::from_row(key, frame).and_then(|record| record.change()) {
                Ok(Some(change)) => projections.load_put(&change),
                Ok(None) => {},
                Err(error) => damage.push(error.to_string()),
            }
            Ok(if is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
    }
    if is_cancelled() {
        return Ok(damage);
    }
    projections.finish_load(snapshot.revision()?);
    let shortfalls = RecordCounts::verify(&*snapshot)?;
    damage.extend(shortfalls.iter().map(ToString::to_string));
    Ok(damage)
}
