//! Groups of transaction bodies that the engine commits together.

use portcullis_domain::change::Change;
use portcullis_storage::engine::{ResultTicket, submit_with};
use portcullis_storage::tables::{RowsMut, WriteError};
use portcullis_storage_redb::RedbEngine;
use std::sync::mpsc;

/// A group that was given to the engine.
pub(super) struct Group(Vec<ResultTicket<(), WriteError>>);

/// Gives a group of bodies to the engine. The first one waits until the others are queued behind it.
pub(super) fn submit<B>(
    engine: &RedbEngine<Change>,
    bodies: impl IntoIterator<Item = B>,
) -> anyhow::Result<Group>
where
    B: FnMut(&mut RowsMut<'_>) -> Result<(), WriteError> + Send + 'static,
{
    let (open, gate) = mpsc::channel();
    let mut gate = Some(gate);
    let mut waiting = Vec::new();
    for mut body in bodies {
        let gate = gate.take();
        waiting.push(submit_with(engine, move |tx| {
            // The other end is dropped, or has spoken, once all are queued.
            let _ = gate.as_ref().map(mpsc::Receiver::<()>::recv);
            body(&mut RowsMut::new(tx))
        })?);
    }
    drop(open);
    Ok(Group(waiting))
}

impl Group {
    /// Waits until all of it is on disk.
    pub(super) fn wait(self) -> anyhow::Result<()> {
        for outcome in self.0 {
            outcome.wait()??;
        }
        Ok(())
    }
}
