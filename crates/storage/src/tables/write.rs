//! Typed write access.

use super::audit::Recorder;
use super::kind::{Entity, UniqueValue, Versions, owner_of};
use super::read::Rows;
use super::record_counts::RecordCounts;
use crate::engine::{StoreError, WriteTx};
use crate::frame;
use crate::key::{META_TAG, RecordKey, ReferenceKey};
use portcullis_domain::change::Change;
use portcullis_domain::ids::RecordNumber;

/// An entity could not be written; nothing was changed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    /// Another entity has this unique value.
    #[error("{:?} is already in use", .0.index)]
    UniqueViolation(UniqueValue),
    /// The target of a reference does not exist.
    #[error("{:?} refers to a missing entity", .0.index)]
    MissingReference(UniqueValue),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Buffer size in bytes that fits most records.
const BODY_BYTES: usize = 1024;

/// Key of the counter of refused logins.
const REFUSED_LOGINS_KEY: &[u8] = &[META_TAG, 3];

/// Typed read and write access through a transaction.
pub struct RowsMut<'t> {
    pub(super) tx: &'t mut dyn WriteTx<Change>,
    /// Set in audited transactions.
    pub(super) recorder: Option<Recorder>,
    /// Number of changes recorded so far.
    pub(super) changes: usize,
}

impl<'t> RowsMut<'t> {
    /// Writes through `tx`.
    pub fn new(tx: &'t mut dyn WriteTx<Change>) -> Self {
        Self {
            tx,
            recorder: None,
            changes: 0,
        }
    }

    /// Read access to the current state.
    pub fn rows(&self) -> Rows<'_> {
        Rows::new(&*self.tx)
    }

    /// Inserts an entity at an unused key.
    ///
    /// # Errors
    ///
    /// [`WriteError::UniqueViolation`] when another entity has one of its unique values;
    /// [`WriteError::MissingReference`] when the target of a reference does not exist.
    pub fn insert<E: Entity>(&mut self, key: &RecordKey, entity: &E) -> Result<(), WriteError> {
        owner_of(key)?;
        let targets = self.targets(&entity.references())?;
        let values = entity.unique_values();
        for value in &values {
            self.ensure_available(key, value)?;
        }
        for target in &targets {
            self.insert_reference(target, key);
        }
        for value in &values {
            self.insert_unique_value(key, value);
        }
        self.put(key, None, entity)?;
        RecordCounts::adjust(self.tx, E::KIND, 1)?;
        Ok(())
    }

    /// Replaces `before` by `after`.
    ///
    /// # Errors
    ///
    /// See [`RowsMut::insert`].
    pub fn replace<E: Entity>(
        &mut self,
        key: &RecordKey,
        before: &E,
        after: &E,
    ) -> Result<(), WriteError> {
        let (from, to) = (before.references(), after.references());
        let added: Vec<_> = to.iter().filter(|to| !from.contains(to)).cloned().collect();
        let targets = self.targets(&added)?;
        let (old, new) = (before.unique_values(), after.unique_values());
        for value in new.iter().filter(|value| !old.contains(value)) {
            self.ensure_available(key, value)?;
        }
        for value in old.iter().filter(|value| !new.contains(value)) {
            self.tx.delete(value.key().as_bytes());
        }
        for value in new.iter().filter(|value| !old.contains(value)) {
            self.insert_unique_value(key, value);
        }
        for target in from.iter().filter(|from| !to.contains(from)) {
            self.remove_reference(target, key)?;
        }
        for target in &targets {
            self.insert_reference(target, key);
        }
        self.put(key, Some(before), after)?;
        Ok(())
    }

    /// Removes an entity. Cascades to [`Entity::CASCADES_TO`] and unlinks it from
    /// [`Entity::UNLINKED_FROM`], but leaves its other dependents.
    pub fn remove<E: Entity>(&mut self, key: &RecordKey, entity: &E) -> Result<(), StoreError> {
        // Before the removal: afterwards the references to it cannot be found.
        self.unlink_referrers(key, entity)?;
        for kind in E::CASCADES_TO {
            for referrer in self.rows().referrers(key, *kind, usize::MAX)? {
                self.remove_record(&referrer)?;
            }
        }
        for value in entity.unique_values() {
            self.tx.delete(value.key().as_bytes());
        }
        for target in entity.references() {
            self.remove_reference(&target, key)?;
        }
        self.tx.delete(key.as_bytes());
        if let Some(recorder) = &mut self.recorder {
            recorder.record(key, Some(entity), None)?;
        }
        let versions = Versions {
            before: Some(entity),
            now: None,
        };
        self.record(key, versions)?;
        RecordCounts::adjust(self.tx, E::KIND, -1)
    }

    /// Counts a refused login. Without this write, refused logins would be answered faster than
    /// others and so reveal which usernames exist.
    pub fn count_refused_login(&mut self) -> Result<(), StoreError> {
        let count = match self.rows().tx().get(REFUSED_LOGINS_KEY)? {
            Some(row) => {
                let body = frame::decode(REFUSED_LOGINS_KEY, &row)?;
                let bytes = body
                    .try_into()
                    .map_err(|_length| StoreError::corrupt("a count is damaged"))?;
                u64::from_be_bytes(bytes)
            },
            None => 0,
        };
        let count = count.wrapping_add(1).to_be_bytes();
        self.tx.put(
            REFUSED_LOGINS_KEY,
            &frame::encode(REFUSED_LOGINS_KEY, &count),
        );
        Ok(())
    }

    /// The keys of the targets of references.
    fn targets(&self, references: &[UniqueValue]) -> Result<Vec<RecordKey>, WriteError> {
        references
            .iter()
            .map(|target| {
                let found = self.rows().lookup(&target.key())?;
                found.ok_or_else(|| WriteError::MissingReference(target.clone()))
            })
            .collect()
    }

    pub(super) fn insert_reference(&mut self, target: &RecordKey, referrer: &RecordKey) {
        let reference = ReferenceKey::new(target.id(), referrer.id());
        self.tx.put(
            reference.as_bytes(),
            &frame::encode(reference.as_bytes(), referrer.as_bytes()),
        );
    }

    /// Removes a reference, unless its target is already gone.
    fn remove_reference(
        &mut self,
        target: &UniqueValue,
        referrer: &RecordKey,
    ) -> Result<(), StoreError> {
        if let Some(target) = self.rows().lookup(&target.key())? {
            self.delete_reference(&target, referrer);
        }
        Ok(())
    }

    /// Deletes the reference row between two records.
    pub(super) fn delete_reference(&mut self, target: &RecordKey, referrer: &RecordKey) {
        let reference = ReferenceKey::new(target.id(), referrer.id());
        self.tx.delete(reference.as_bytes());
    }

    fn ensure_available(&self, key: &RecordKey, value: &UniqueValue) -> Result<(), WriteError> {
        match self.rows().lookup(&value.key())? {
            Some(holder) if holder != *key => Err(WriteError::UniqueViolation(value.clone())),
            _ => Ok(()),
        }
    }

    pub(super) fn insert_unique_value(&mut self, key: &RecordKey, value: &UniqueValue) {
        let unique = value.key();
        self.tx.put(
            unique.as_bytes(),
            &frame::encode(unique.as_bytes(), key.as_bytes()),
        );
    }

    /// Deletes a secondary row.
    pub(super) fn delete_row(&mut self, key: &[u8]) {
        self.tx.delete(key);
    }

    fn put<E: Entity>(
        &mut self,
        key: &RecordKey,
        before: Option<&E>,
        entity: &E,
    ) -> Result<(), StoreError> {
        let body = encode_body(key, entity)?;
        // A record that cannot be parsed again would be permanent damage.
        serde_json::from_slice::<E>(&body).map_err(|error| encoding_error(key, &error))?;
        self.tx
            .put(key.as_bytes(), &frame::encode(key.as_bytes(), &body));
        if let Some(recorder) = &mut self.recorder {
            recorder.record(key, before, Some(body))?;
        }
        let versions = Versions {
            before,
            now: Some(entity),
        };
        self.record(key, versions)
    }

    fn record<E: Entity>(
        &mut self,
        key: &RecordKey,
        versions: Versions<'_, E>,
    ) -> Result<(), StoreError> {
        let change = E::change(owner_of(key)?, RecordNumber(key.id().1), versions);
        self.tx.record(change);
        self.changes += 1;
        Ok(())
    }
}

/// Encodes an entity for storage.
pub(super) fn encode_body<E: Entity>(key: &RecordKey, entity: &E) -> Result<Vec<u8>, StoreError> {
    let mut body = Vec::with_capacity(BODY_BYTES);
    serde_json::to_writer(&mut body, entity).map_err(|error| encoding_error(key, &error))?;
    Ok(body)
}

fn encoding_error(key: &RecordKey, error: &serde_json::Error) -> StoreError {
    StoreError::corrupt(format!("record {key} cannot be encoded: {error}"))
}
