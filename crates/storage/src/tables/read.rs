//! Reading entities.

use super::dispatch::{ForEntity, dispatch};
use super::kind::{Entity, UniqueValue, owner_of};
use crate::engine::{KeyRange, ReadTx, StoreError};
use crate::frame;
use crate::key::{Kind, RecordKey, ReferenceKey, UniqueKey};
use portcullis_domain::change::Change;
use portcullis_domain::ids::Number;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An entity and where its record lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<E> {
    /// The key of its record.
    pub key: RecordKey,
    /// The entity.
    pub entity: E,
}

impl<E> Found<E> {
    /// Number of its record.
    pub fn number(&self) -> Number {
        Number(self.key.id().1)
    }

    /// Number of the record that it lives under; its own if it is a root.
    pub fn root_number(&self) -> Number {
        Number(self.key.root_id().1)
    }
}

/// How many times its bytes the entity in a row may well take in memory. What is held is measured in
/// bytes of rows.
const GROWTH: usize = 16;

/// A record that was come across and is not read yet.
#[derive(Debug, Clone, Copy)]
pub struct Record<'r> {
    key: RecordKey,
    frame: &'r [u8],
}

impl<'r> Record<'r> {
    /// The record in a row.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the key is not that of a record.
    pub fn in_row(key: &[u8], frame: &'r [u8]) -> Result<Self, StoreError> {
        let key = RecordKey::parse(key)
            .ok_or_else(|| StoreError::corrupt("a key is not that of a record"))?;
        Ok(Self { key, frame })
    }

    /// What it is a record of.
    pub fn kind(&self) -> Kind {
        self.key.id().0
    }

    /// The change that says that it is there; `None` for a kind that is not known.
    pub fn change(&self) -> Result<Option<Change>, StoreError> {
        dispatch(self.kind(), ChangeOf(self)).transpose()
    }

    /// Reads the entity, which is of the kind [`Record::kind`].
    pub fn read<E: Entity>(&self) -> Result<Found<E>, StoreError> {
        let entity = parse(&self.key, self.frame)?;
        Ok(Found {
            key: self.key,
            entity,
        })
    }
}

struct ChangeOf<'a, 'r>(&'a Record<'r>);

impl ForEntity for ChangeOf<'_, '_> {
    type Output = Result<Change, StoreError>;

    fn run<E: Entity>(self) -> Self::Output {
        let found = self.0.read::<E>()?;
        let owner = owner_of(&found.key)?;
        Ok(E::change(owner, found.number(), Some(&found.entity)))
    }
}

/// The entities as a transaction or snapshot sees them.
#[derive(Clone, Copy)]
pub struct Rows<'t>(&'t dyn ReadTx);

impl<'t> Rows<'t> {
    /// Reads through `tx`.
    pub fn new(tx: &'t dyn ReadTx) -> Self {
        Self(tx)
    }

    /// Reads the entity at `key`; `None` when there is none.
    pub fn get<E: Entity>(self, key: &RecordKey) -> Result<Option<E>, StoreError> {
        self.0
            .get(key.as_bytes())?
            .map(|frame| parse(key, &frame))
            .transpose()
    }

    /// Finds the entity that has a unique value.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the value leads to a record that is not there.
    pub fn find<E: Entity>(self, value: &UniqueValue) -> Result<Option<Found<E>>, StoreError> {
        let unique = value.key();
        let Some(key) = self.lookup(&unique)? else {
            return Ok(None);
        };
        let entity = self.get(&key)?.ok_or_else(|| lost(value, &key))?;
        Ok(Some(Found { key, entity }))
    }

    /// Reads the entity at `key` as [`Rows::get`] does, once for all who read it in the same view.
    pub fn share<E: Entity>(self, key: &RecordKey) -> Result<Option<Arc<E>>, StoreError> {
        if let Some(entity) = self.recall(key.as_bytes()) {
            return Ok(Some(entity));
        }
        let Some(frame) = self.0.get(key.as_bytes())? else {
            return Ok(None);
        };
        let entity = parse(key, &frame)?;
        Ok(Some(self.keep(key.as_bytes(), entity, frame.len())))
    }

    /// What `make` makes of the record at `root` and what that leads to, once for all who want it in
    /// the same view. With it comes its size in memory in bytes, or nothing for what is not to be held.
    pub fn share_made<T: Send + Sync + 'static, E>(
        self,
        root: &RecordKey,
        make: impl FnOnce() -> Result<(T, Option<usize>), E>,
    ) -> Result<Arc<T>, E> {
        if let Some(value) = self.recall(root.as_bytes()) {
            return Ok(value);
        }
        Ok(match make()? {
            (value, Some(bytes)) => self.keep(root.as_bytes(), value, bytes / GROWTH),
            (value, None) => Arc::new(value),
        })
    }

    /// Finds the entity that has a unique value as [`Rows::find`] does, once for all who look for it
    /// in the same view.
    pub fn find_shared<E: Entity>(
        self,
        value: &UniqueValue,
    ) -> Result<Option<Found<Arc<E>>>, StoreError> {
        let unique = value.key();
        if let Some(found) = self.recall::<Found<Arc<E>>>(unique.as_bytes()) {
            return Ok(Some(Found::clone(&found)));
        }
        let Some(key) = self.lookup(&unique)? else {
            return Ok(None);
        };
        let entity = self.share(&key)?.ok_or_else(|| lost(value, &key))?;
        let found = Found { key, entity };
        self.keep(unique.as_bytes(), found.clone(), unique.as_bytes().len());
        Ok(Some(found))
    }

    /// What was made of the row under `key` in this view, if the view can tell.
    fn recall<T: Send + Sync + 'static>(self, key: &[u8]) -> Option<Arc<T>> {
        self.0.readings()?.find(key)
    }

    /// Holds what was made of the row under `key`, of so many bytes, if the view can.
    fn keep<T: Send + Sync + 'static>(self, key: &[u8], value: T, bytes: usize) -> Arc<T> {
        let value = Arc::new(value);
        if let Some(readings) = self.0.readings() {
            readings.keep(key, Arc::clone(&value), bytes);
        }
        value
    }

    /// Finds the record that has a unique value, without reading it.
    pub fn locate(self, value: &UniqueValue) -> Result<Option<RecordKey>, StoreError> {
        self.lookup(&value.key())
    }

    /// Whether a unique value is taken, and by which record.
    pub(super) fn lookup(self, unique: &UniqueKey) -> Result<Option<RecordKey>, StoreError> {
        let Some(frame) = self.0.get(unique.as_bytes())? else {
            return Ok(None);
        };
        let body = frame::decode(unique.as_bytes(), &frame)?;
        RecordKey::parse(body)
            .map(Some)
            .ok_or_else(|| StoreError::corrupt("a unique row does not hold the key of a record"))
    }

    /// Reads all entities of one kind that live under `root`, oldest first.
    pub fn dependents<E: Entity>(self, root: &RecordKey) -> Result<Vec<Found<E>>, StoreError> {
        let mut found = Vec::new();
        self.each_in(&root.dependents(E::KIND), &mut |entity| {
            found.push(entity);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Visits the entities of one kind in `range`, passing over records of other kinds.
    pub fn each_in<E: Entity>(
        self,
        range: &KeyRange,
        visit: &mut dyn FnMut(Found<E>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        self.each_record(range, &mut |record| {
            if record.kind() == E::KIND {
                visit(record.read()?)
            } else {
                Ok(ControlFlow::Continue(()))
            }
        })
    }

    /// Visits what lives under `root`, in the order of the kinds' numbers, oldest first.
    pub fn each_below(
        self,
        root: &RecordKey,
        visit: &mut dyn FnMut(Record<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        self.each_record(&root.tree().after(root.as_bytes()), visit)
    }

    fn each_record(
        self,
        range: &KeyRange,
        visit: &mut dyn FnMut(Record<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        self.0
            .scan(range, &mut |key, frame| visit(Record::in_row(key, frame)?))
    }

    /// The records of one kind that refer to the record at `target`, oldest first, as far as `most`.
    pub fn referrers(
        self,
        target: &RecordKey,
        kind: Kind,
        most: usize,
    ) -> Result<Vec<RecordKey>, StoreError> {
        let mut found = Vec::new();
        let range = ReferenceKey::from_kind(target.id(), kind);
        self.0.scan(&range, &mut |key, frame| {
            if found.len() == most {
                return Ok(ControlFlow::Break(()));
            }
            let body = frame::decode(key, frame)?;
            let referrer = RecordKey::parse(body)
                .ok_or_else(|| StoreError::corrupt("a reference does not hold its referrer"))?;
            found.push(referrer);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The transaction underneath.
    pub(super) fn tx(self) -> &'t dyn ReadTx {
        self.0
    }
}

/// Says that a unique value leads to a record that is not there.
fn lost(value: &UniqueValue, key: &RecordKey) -> StoreError {
    StoreError::corrupt(format!(
        "{:?} leads to record {key}, which is lost",
        value.index
    ))
}

/// Reads an entity out of the frame at `key`.
pub(super) fn parse<E: Entity>(key: &RecordKey, frame: &[u8]) -> Result<E, StoreError> {
    let body = frame::decode(key.as_bytes(), frame)?;
    serde_json::from_slice(body)
        .map_err(|error| StoreError::corrupt(format!("record {key} cannot be read: {error}")))
}
