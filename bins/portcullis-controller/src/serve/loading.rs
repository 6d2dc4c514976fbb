//! Filling the read model from the store, and finding out whether the store has lost anything.

use anyhow::{Context as _, anyhow};
use portcullis_app::read_model;
use portcullis_domain::change::Change;
use portcullis_index::Projections;
use portcullis_storage::engine::StoreError;
use portcullis_storage::redb_engine::RedbEngine;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// The work of a thread of its own: load, then check.
#[derive(Debug)]
pub(super) struct Loading(Option<oneshot::Receiver<anyhow::Result<()>>>);

impl Loading {
    /// Starts to load. The read model must follow the engine already.
    pub(super) fn start(
        engine: Arc<RedbEngine<Change>>,
        projections: Arc<Projections>,
        accept_damage: bool,
        stop: CancellationToken,
    ) -> anyhow::Result<Self> {
        let (tell, told) = oneshot::channel();
        std::thread::Builder::new()
            .name("loader".to_owned())
            .spawn(move || {
                let found = read_model::load(&*engine, &projections, &|| stop.is_cancelled());
                drop(engine);
                // Nobody listens any more when the controller is ending.
                let _ = tell.send(judge(found, accept_damage));
            })
            .context("the thread that loads the store cannot be started")?;
        Ok(Self(Some(told)))
    }

    /// Waits for the outcome; once it was given, there is nothing more to wait for.
    pub(super) async fn finished(&mut self) -> anyhow::Result<()> {
        let Some(told) = &mut self.0 else {
            return Ok(());
        };
        let outcome = told.await;
        self.0 = None;
        outcome.unwrap_or_else(|_gone| Err(anyhow!("loading the store ended unexpectedly")))
    }
}

/// Decides whether a store with what was `found` is served.
fn judge(found: Result<Vec<String>, StoreError>, accept_damage: bool) -> anyhow::Result<()> {
    let damage = found.context("the store cannot be read")?;
    for damage in &damage {
        tracing::error!(damage, "the store is damaged");
    }
    match damage.as_slice() {
        [] => Ok(()),
        _ if accept_damage => {
            tracing::warn!("a damaged store is served, because --accept-damage says so");
            Ok(())
        },
        [first, rest @ ..] => Err(anyhow!(
            "the store is damaged: {first}{}; restore a backup, or serve what is left with \
             --accept-damage",
            if rest.is_empty() {
                String::new()
            } else {
                format!(", and {} more findings (see the log)", rest.len())
            },
        )),
    }
}
