//! Typed read access.

use super::dispatch::{EntityVisitor, dispatch};
use super::entity_cache::EntityCache;
use super::kind::{Entity, UniqueValue, Versions, owner_of};
use crate::engine::{KeyRange, ReadTx, Snapshot, StoreError};
use crate::frame;
use crate::key::{Kind, RecordKey, ReferenceKey, UniqueKey};
use portcullis_domain::change::Change;
use portcullis_domain::ids::RecordNumber;
use std::ops::ControlFlow;
use std::sync::Arc;

/// An entity and the key of its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<E> {
    /// The key of its record.
    pub key: RecordKey,
    pub entity: E,
}

impl<E> Found<E> {
    pub fn number(&self) -> RecordNumber {
        RecordNumber(self.key.id().1)
    }

    /// Number of its root record; its own if it is a root.
    pub fn root_number(&self) -> RecordNumber {
        RecordNumber(self.key.root_id().1)
    }
}

/// A record that has not been parsed yet.
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
    /// [`StoreError::Corrupt`] when the key is not a record key.
    pub fn from_row(key: &[u8], frame: &'r [u8]) -> Result<Self, StoreError> {
        let key = RecordKey::parse(key)
            .ok_or_else(|| StoreError::corrupt("a key is not a record key"))?;
        Ok(Self { key, frame })
    }

    pub fn kind(&self) -> Kind {
        self.key.id().0
    }

    /// A change with the current state; `None` for an unknown kind.
    pub fn change(&self) -> Result<Option<Change>, StoreError> {
        dispatch(self.kind(), ChangeOf(self)).transpose()
    }

    /// Parses the entity, which has to be of the kind [`Record::kind`].
    pub fn read<E: Entity>(&self) -> Result<Found<E>, StoreError> {
        let entity = parse(&self.key, self.frame)?;
        Ok(Found {
            key: self.key,
            entity,
        })
    }
}

struct ChangeOf<'a, 'r>(&'a Record<'r>);

impl EntityVisitor for ChangeOf<'_, '_> {
    type Output = Result<Change, StoreError>;

    fn visit<E: Entity>(self) -> Self::Output {
        let found = self.0.read::<E>()?;
        let owner = owner_of(&found.key)?;
        let versions = Versions {
            before: None,
            now: Some(&found.entity),
        };
        Ok(E::change(owner, found.number(), versions))
    }
}

/// Typed read access through a transaction or snapshot.
///
/// An entity that is handed on or changed is read by [`Rows::get`] or [`Rows::find`], which parse
/// it for the caller. One that many requests look at, and nobody changes, is read shared: each
/// snapshot parses it once, and a transaction, whose rows may change, whenever it is asked for.
#[derive(Clone, Copy)]
pub struct Rows<'t> {
    tx: &'t dyn ReadTx,
    /// Shared entities, in a snapshot.
    cache: Option<&'t EntityCache>,
}

impl<'t> Rows<'t> {
    /// Reads through `tx`.
    pub fn new(tx: &'t dyn ReadTx) -> Self {
        Self { tx, cache: None }
    }

    /// Reads through `snapshot`, whose shared entities are in `cache`.
    pub fn with_cache(snapshot: &'t dyn Snapshot, cache: &'t EntityCache) -> Self {
        Self {
            tx: snapshot,
            cache: Some(cache),
        }
    }

    /// Reads the entity at `key`; `None` when there is none.
    pub fn get<E: Entity>(self, key: &RecordKey) -> Result<Option<E>, StoreError> {
        self.tx
            .get(key.as_bytes())?
            .map(|frame| parse(key, &frame))
            .transpose()
    }

    /// Finds the entity with a unique value.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupt`] when the value points to a missing record.
    pub fn find<E: Entity>(self, value: &UniqueValue) -> Result<Option<Found<E>>, StoreError> {
        self.find_with(value, &value.key(), |key| self.get(key))
    }

    /// Like [`Rows::get`], shared.
    pub fn get_shared<E: Entity>(self, key: &RecordKey) -> Result<Option<Arc<E>>, StoreError> {
        let cached = self.cache.and_then(|cache| cache.find(key.as_bytes()));
        if cached.is_some() {
            return Ok(cached);
        }
        let Some(frame) = self.tx.get(key.as_bytes())? else {
            return Ok(None);
        };
        let entity = Arc::new(parse(key, &frame)?);
        if let Some(cache) = self.cache {
            cache.insert(key.as_bytes(), Arc::clone(&entity), frame.len());
        }
        Ok(Some(entity))
    }

    /// Like [`Rows::find`], shared.
    pub fn find_shared<E: Entity>(
        self,
        value: &UniqueValue,
    ) -> Result<Option<Found<Arc<E>>>, StoreError> {
        let unique = value.key();
        let cached = self
            .cache
            .and_then(|cache| cache.find::<Found<Arc<E>>>(unique.as_bytes()));
        if let Some(found) = cached {
            return Ok(Some(Found::clone(&found)));
        }
        let found = self.find_with(value, &unique, |key| self.get_shared(key))?;
        if let (Some(cache), Some(found)) = (self.cache, &found) {
            let bytes = unique.as_bytes().len();
            cache.insert(unique.as_bytes(), Arc::new(Found::clone(found)), bytes);
        }
        Ok(found)
    }

    /// Finds the record with a unique value and reads it.
    fn find_with<T>(
        self,
        value: &UniqueValue,
        unique: &UniqueKey,
        read: impl FnOnce(&RecordKey) -> Result<Option<T>, StoreError>,
    ) -> Result<Option<Found<T>>, StoreError> {
        let Some(key) = self.lookup(unique)? else {
            return Ok(None);
        };
        let entity = read(&key)?.ok_or_else(|| missing_record(value, &key))?;
        Ok(Some(Found { key, entity }))
    }

    /// Finds the key of the record with a unique value.
    pub fn locate(self, value: &UniqueValue) -> Result<Option<RecordKey>, StoreError> {
        self.lookup(&value.key())
    }

    /// The key of the record with a unique value.
    pub(super) fn lookup(self, unique: &UniqueKey) -> Result<Option<RecordKey>, StoreError> {
        let Some(frame) = self.tx.get(unique.as_bytes())? else {
            return Ok(None);
        };
        let body = frame::decode(unique.as_bytes(), &frame)?;
        RecordKey::parse(body)
            .map(Some)
            .ok_or_else(|| StoreError::corrupt("a unique row does not contain a record key"))
    }

    /// Lists the dependents of one kind under `root`, oldest first.
    pub fn dependents<E: Entity>(self, root: &RecordKey) -> Result<Vec<Found<E>>, StoreError> {
        let mut found = Vec::new();
        self.for_each_in(&root.dependents(E::KIND), &mut |entity| {
            found.push(entity);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// Visits the entities of one kind in `range`, skipping other kinds.
    pub fn for_each_in<E: Entity>(
        self,
        range: &KeyRange,
        visit: &mut dyn FnMut(Found<E>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        self.for_each_record(range, &mut |record| {
            if record.kind() == E::KIND {
                visit(record.read()?)
            } else {
                Ok(ControlFlow::Continue(()))
            }
        })
    }

    /// Visits the dependents of `root`, ordered by kind and age.
    pub fn for_each_dependent(
        self,
        root: &RecordKey,
        visit: &mut dyn FnMut(Record<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        self.for_each_record(&root.tree().after(root.as_bytes()), visit)
    }

    fn for_each_record(
        self,
        range: &KeyRange,
        visit: &mut dyn FnMut(Record<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        self.tx.scan(range, &mut |key, frame| {
            visit(Record::from_row(key, frame)?)
        })
    }

    /// Lists up to `max` records of one kind that refer to the record at `target`, oldest first.
    pub fn referrers(
        self,
        target: &RecordKey,
        kind: Kind,
        max: usize,
    ) -> Result<Vec<RecordKey>, StoreError> {
        let mut found = Vec::new();
        let range = ReferenceKey::from_kind(target.id(), kind);
        self.tx.scan(&range, &mut |key, frame| {
            if found.len() == max {
                return Ok(ControlFlow::Break(()));
            }
            let body = frame::decode(key, frame)?;
            let referrer = RecordKey::parse(body).ok_or_else(|| {
                StoreError::corrupt("a reference row does not contain its referrer")
            })?;
            found.push(referrer);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }

    /// The transaction underneath.
    pub(super) fn tx(self) -> &'t dyn ReadTx {
        self.tx
    }
}

/// The error for a unique value that points to a missing record.
fn missing_record(value: &UniqueValue, key: &RecordKey) -> StoreError {
    StoreError::corrupt(format!(
        "{:?} points to record {key}, which is missing",
        value.index
    ))
}

/// Parses the entity in the frame at `key`.
pub(super) fn parse<E: Entity>(key: &RecordKey, frame: &[u8]) -> Result<E, StoreError> {
    let body = frame::decode(key.as_bytes(), frame)?;
    serde_json::from_slice(body)
        .map_err(|error| StoreError::corrupt(format!("record {key} cannot be read: {error}")))
}
