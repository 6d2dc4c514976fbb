//! Writing entities.

use super::audit::Recorder;
use super::census::Census;
use super::kind::{Entity, UniqueValue, owner_of};
use super::read::Rows;
use crate::engine::{StoreError, WriteTx};
use crate::frame;
use crate::key::{META_TAG, RecordKey, ReferenceKey};
use portcullis_domain::change::Change;
use portcullis_domain::ids::Number;

/// An entity could not be written. Nothing of it was.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    /// Another entity has the value already.
    #[error("{:?} is taken", .0.index)]
    Taken(UniqueValue),
    /// What it refers to does not exist.
    #[error("{:?} leads to nothing", .0.index)]
    Missing(UniqueValue),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Bytes in which most records fit, so that their memory need not grow while they are written.
const BODY: usize = 1024;

/// The row that counts refused logins.
const REFUSED_LOGINS: &[u8] = &[META_TAG, 3];

/// The entities as a transaction sees and changes them.
pub struct RowsMut<'t> {
    pub(super) tx: &'t mut dyn WriteTx<Change>,
    /// Notes for the audit trail what is done, if that is to be told.
    pub(super) recorder: Option<Recorder>,
}

impl<'t> RowsMut<'t> {
    /// Writes through `tx`.
    pub fn new(tx: &'t mut dyn WriteTx<Change>) -> Self {
        Self { tx, recorder: None }
    }

    /// The entities as they stand now.
    pub fn rows(&self) -> Rows<'_> {
        Rows::new(&*self.tx)
    }

    /// Adds an entity at a key that was never used.
    ///
    /// # Errors
    ///
    /// [`WriteError::Taken`] when another entity has one of its unique values;
    /// [`WriteError::Missing`] when something that it refers to does not exist.
    pub fn insert<E: Entity>(&mut self, key: &RecordKey, entity: &E) -> Result<(), WriteError> {
        owner_of(key)?;
        let targets = self.targets(&entity.references())?;
        let values = entity.unique_values();
        for value in &values {
            self.check_free(key, value)?;
        }
        for target in &targets {
            self.refer(target, key);
        }
        for value in &values {
            self.claim(key, value);
        }
        self.put(key, None, entity)?;
        Census::adjust(self.tx, E::KIND, 1)?;
        Ok(())
    }

    /// Puts `after` in the place of `before`.
    ///
    /// # Errors
    ///
    /// As [`RowsMut::insert`].
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
            self.check_free(key, value)?;
        }
        for value in old.iter().filter(|value| !new.contains(value)) {
            self.tx.delete(value.key().as_bytes());
        }
        for value in new.iter().filter(|value| !old.contains(value)) {
            self.claim(key, value);
        }
        for target in from.iter().filter(|from| !to.contains(from)) {
            self.unrefer(target, key)?;
        }
        for target in &targets {
            self.refer(target, key);
        }
        self.put(key, Some(before), after)?;
        Ok(())
    }

    /// Removes an entity with what goes along with it ([`Entity::TAKES_ALONG`]), but nothing else
    /// that lives under it. What names it in lists ([`Entity::NAMED_BY`]) forgets it first.
    pub fn remove<E: Entity>(&mut self, key: &RecordKey, entity: &E) -> Result<(), StoreError> {
        // While it is still there: afterwards nobody finds their references to it.
        self.have_forgotten(key, entity)?;
        for kind in E::TAKES_ALONG {
            for referrer in self.rows().referrers(key, *kind, usize::MAX)? {
                self.remove_record(&referrer)?;
            }
        }
        for value in entity.unique_values() {
            self.tx.delete(value.key().as_bytes());
        }
        for target in entity.references() {
            self.unrefer(&target, key)?;
        }
        self.tx.delete(key.as_bytes());
        if let Some(recorder) = &mut self.recorder {
            recorder.note(key, Some(entity), None)?;
        }
        self.record::<E>(key, None)?;
        Census::adjust(self.tx, E::KIND, -1)
    }

    /// Counts a login that was refused. What is refused without a trace would be answered sooner
    /// than what is not, and so tell which usernames there are.
    pub fn count_refused_login(&mut self) -> Result<(), StoreError> {
        let count = match self.rows().tx().get(REFUSED_LOGINS)? {
            Some(row) => {
                let body = frame::decode(REFUSED_LOGINS, &row)?;
                let bytes = body
                    .try_into()
                    .map_err(|_length| StoreError::corrupt("a count is damaged"))?;
                u64::from_be_bytes(bytes)
            },
            None => 0,
        };
        let count = count.wrapping_add(1).to_be_bytes();
        self.tx
            .put(REFUSED_LOGINS, &frame::encode(REFUSED_LOGINS, &count));
        Ok(())
    }

    /// Where the targets of references lie.
    fn targets(&self, references: &[UniqueValue]) -> Result<Vec<RecordKey>, WriteError> {
        references
            .iter()
            .map(|target| {
                let found = self.rows().lookup(&target.key())?;
                found.ok_or_else(|| WriteError::Missing(target.clone()))
            })
            .collect()
    }

    pub(super) fn refer(&mut self, target: &RecordKey, referrer: &RecordKey) {
        let reference = ReferenceKey::new(target.id(), referrer.id());
        self.tx.put(
            reference.as_bytes(),
            &frame::encode(reference.as_bytes(), referrer.as_bytes()),
        );
    }

    /// Takes a reference away; one to what is gone already went with it.
    fn unrefer(&mut self, target: &UniqueValue, referrer: &RecordKey) -> Result<(), StoreError> {
        if let Some(target) = self.rows().lookup(&target.key())? {
            self.part(&target, referrer);
        }
        Ok(())
    }

    /// Takes a reference between two records away, whatever they say of it.
    pub(super) fn part(&mut self, target: &RecordKey, referrer: &RecordKey) {
        let reference = ReferenceKey::new(target.id(), referrer.id());
        self.tx.delete(reference.as_bytes());
    }

    fn check_free(&self, key: &RecordKey, value: &UniqueValue) -> Result<(), WriteError> {
        match self.rows().lookup(&value.key())? {
            Some(holder) if holder != *key => Err(WriteError::Taken(value.clone())),
            _ => Ok(()),
        }
    }

    pub(super) fn claim(&mut self, key: &RecordKey, value: &UniqueValue) {
        let unique = value.key();
        self.tx.put(
            unique.as_bytes(),
            &frame::encode(unique.as_bytes(), key.as_bytes()),
        );
    }

    /// Takes away a row that is beside the records.
    pub(super) fn erase(&mut self, key: &[u8]) {
        self.tx.delete(key);
    }

    fn put<E: Entity>(
        &mut self,
        key: &RecordKey,
        before: Option<&E>,
        entity: &E,
    ) -> Result<(), StoreError> {
        let body = body_of(key, entity)?;
        // A record that cannot be read again would be damage for good, whatever made it so.
        serde_json::from_slice::<E>(&body).map_err(|error| unfit(key, &error))?;
        self.tx
            .put(key.as_bytes(), &frame::encode(key.as_bytes(), &body));
        if let Some(recorder) = &mut self.recorder {
            recorder.note(key, before, Some(body))?;
        }
        self.record(key, Some(entity))
    }

    fn record<E: Entity>(&mut self, key: &RecordKey, now: Option<&E>) -> Result<(), StoreError> {
        let change = E::change(owner_of(key)?, Number(key.id().1), now);
        self.tx.record(change);
        Ok(())
    }
}

/// The form in which a record is stored.
pub(super) fn body_of<E: Entity>(key: &RecordKey, entity: &E) -> Result<Vec<u8>, StoreError> {
    let mut body = Vec::with_capacity(BODY);
    serde_json::to_writer(&mut body, entity).map_err(|error| unfit(key, &error))?;
    Ok(body)
}

fn unfit(key: &RecordKey, error: &serde_json::Error) -> StoreError {
    StoreError::corrupt(format!("record {key} has no form: {error}"))
}
