//! Loading of the read model, and integrity check of the store.

use anyhow::{Context as _, anyhow};
use portcullis_app::read_model;
use portcullis_domain::change::Change;
use portcullis_index::Projections;
use portcullis_storage::engine::StoreError;
use portcullis_storage_redb::RedbEngine;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Background thread that loads the read model and then checks the store.
#[derive(Debug)]
pub(super) struct StoreLoader(Option<oneshot::Receiver<anyhow::Result<()>>>);

impl StoreLoader {
    /// Starts the thread. The read model must already observe the engine.
    pub(super) fn start(
        engine: Arc<RedbEngine<Change>>,
        projections: Arc<Projections>,
        accept_damage: bool,
        stop: CancellationToken,
    ) -> anyhow::Result<Self> {
        let (sender, receiver) = oneshot::channel();
        std::thread::Builder::new()
            .name("loader".to_owned())
            .spawn(move || {
                let found = read_model::load(&*engine, &projections, &|| stop.is_cancelled());
                drop(engine);
                // The receiver is gone if the controller is stopping.
                let _ = sender.send(damage_error(found, accept_damage));
            })
            .context("the thread that loads the store cannot be started")?;
        Ok(Self(Some(receiver)))
    }

    /// Waits for the result; returns at once after it was returned.
    pub(super) async fn finished(&mut self) -> anyhow::Result<()> {
        let Some(receiver) = &mut self.0 else {
            return Ok(());
        };
        let outcome = receiver.await;
        self.0 = None;
        outcome.unwrap_or_else(|_gone| Err(anyhow!("loading the store ended unexpectedly")))
    }
}

/// Logs damage and turns it into an error, unless it is accepted.
fn damage_error(found: Result<Vec<String>, StoreError>, accept_damage: bool) -> anyhow::Result<()> {
    let damage = found.context("the store cannot be read")?;
    for damage in &damage {
        tracing::error!(damage, "the store is damaged");
    }
    match damage.as_slice() {
        [] => Ok(()),
        _ if accept_damage => {
            tracing::warn!("serving a damaged store because --accept-damage was given");
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
