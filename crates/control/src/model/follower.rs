//! Follows the records and keys that make up the model.

use super::mirror::{Mirror, is_relevant};
use super::numbering::Numbering;
use super::public_key::public_key;
use portcullis_app::change_feed::{ChangeFeed, TooOldError};
use portcullis_app::model_position::{self, ModelPosition};
use portcullis_app::router_keys::router_keys;
use portcullis_app::{App, AppError};
use portcullis_data_model::{Change as ModelChange, DataModel, Options, Position};
use portcullis_domain::change::Change;
use portcullis_domain::entropy;
use portcullis_wire::control::data_model::PublicKey;
use std::sync::Arc;

/// Follows the store from the moment at which the model is made.
pub(super) struct Follower {
    app: Arc<App>,
    feed: ChangeFeed,
    mirror: Mirror,
    keys: Vec<PublicKey>,
    numbering: Numbering,
}

/// What one commit has changed.
pub(super) struct Commit {
    pub(super) index: u64,
    pub(super) changes: Vec<ModelChange>,
    pub(super) concerns_keys: bool,
}

impl Follower {
    pub(super) fn new(app: Arc<App>) -> Self {
        Self {
            feed: ChangeFeed::new(&app),
            mirror: Mirror::default(),
            keys: Vec::new(),
            numbering: Numbering::begin(0),
            app,
        }
    }

    /// Makes the model of all records. It goes on where it was when its position was kept last, if it has
    /// not changed since.
    pub(super) fn begin(&mut self) -> Result<DataModel, AppError> {
        let changes = self.read_records()?;
        let entities = changes.into_iter().filter_map(|change| match change {
            ModelChange::Set(entity) => Some(entity),
            ModelChange::Removed(_) | ModelChange::Related { .. } => None,
        });
        self.keys = self.current_keys()?;
        let revision = self.feed.revision();
        let start = (self.new_timeline(), revision);
        let mut model = DataModel::new(Options::default(), start, entities, self.keys.clone());
        self.numbering = Numbering::begin(revision);
        if let Some(kept) = model_position::kept(&self.app)? {
            let entropy = &*self.app.env().entropy;
            let resumed = Numbering::resume(revision, kept.index, entropy);
            if let Ok(numbering) = resumed
                && model.resume(position(kept))
            {
                self.numbering = numbering;
            }
        }
        Ok(model)
    }

    /// Reads all records again.
    pub(super) fn renew(&mut self) -> Result<Commit, AppError> {
        let changes = self.read_records()?;
        Ok(Commit {
            index: self.numbering.index(self.feed.revision()),
            changes,
            concerns_keys: true,
        })
    }

    fn read_records(&mut self) -> Result<Vec<ModelChange>, AppError> {
        let mut records = Vec::new();
        self.feed.scan(&mut |change| {
            if is_relevant(&change) {
                records.push(change);
            }
        })?;
        Ok(self.mirror.renew(&records, self.app.env().now()))
    }

    /// Waits until something was committed.
    pub(super) async fn committed(&self) {
        self.feed.committed().await;
    }

    pub(super) fn take(&mut self) -> Result<Vec<Commit>, TooOldError> {
        let now = self.app.env().now();
        let groups = self.feed.take()?;
        let commits = groups.iter().map(|group| {
            let mut changes = self.mirror.keep_time(now);
            changes.extend(self.mirror.follow(&group.changes, now));
            let concerns_keys = |change: &Change| matches!(change, Change::Ca(_));
            Commit {
                index: self.numbering.index(group.revision),
                changes,
                concerns_keys: group.changes.iter().any(concerns_keys),
            }
        });
        Ok(commits.collect())
    }

    /// Whether something has changed with time alone, which comes with the next commit.
    pub(super) fn has_aged(&self) -> bool {
        self.mirror.has_aged(self.app.env().now())
    }

    /// The keys that count now, if they are others than before.
    pub(super) fn new_keys(&mut self) -> Result<Option<Vec<PublicKey>>, AppError> {
        let keys = self.current_keys()?;
        if keys == self.keys {
            return Ok(None);
        }
        self.keys.clone_from(&keys);
        Ok(Some(keys))
    }

    fn current_keys(&self) -> Result<Vec<PublicKey>, AppError> {
        let keys = router_keys(&self.app)?;
        Ok(keys.into_iter().map(public_key).collect())
    }

    /// Without randomness, the time of the start tells timelines apart.
    fn new_timeline(&self) -> String {
        let drawn = entropy::uuid(&*self.app.env().entropy);
        drawn.unwrap_or_else(|_| self.app.env().now().to_string())
    }
}

/// A position that the store has kept.
fn position(kept: ModelPosition) -> Position {
    Position {
        timeline_id: kept.timeline,
        index: kept.index,
        digest: kept.digest,
        key_ids: kept.key_ids,
    }
}
