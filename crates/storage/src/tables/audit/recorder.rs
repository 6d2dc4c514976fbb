//! Notes what a transaction does.

use super::journal::{AuditBacklog, WrittenMark};
use super::label::Label;
use super::telling::Telling;
use crate::engine::StoreError;
use crate::key::{Kind, RecordKey};
use crate::tables::kind::Entity;
use crate::tables::write::{RowsMut, body_of};
use portcullis_domain::audit::{Actor, TrailId};
use portcullis_domain::clock::Timestamp;
use std::collections::BTreeMap;

/// Records of one transaction whose members are told of. Removing something can take along thousands,
/// and of those that are removed beyond this, only the ids are told.
const DETAILED: usize = 64;
/// Records of one kind of which a transaction tells one by one; beyond that they are counted.
const NAMED: usize = 1000;

/// On whose behalf a transaction acts.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    /// Who acts.
    pub actor: Actor,
    /// When.
    pub time: Timestamp,
}

/// What a transaction did so far.
#[derive(Debug)]
pub(in super::super) struct Recorder {
    pub(super) entry: AuditEntry,
    pub(super) changes: Vec<RowChange>,
    pub(super) by_key: BTreeMap<RecordKey, usize>,
    /// How many records of each kind were noted one by one.
    noted: BTreeMap<Kind, usize>,
    /// Those beyond, by their kind and what became of them.
    pub(super) counted: BTreeMap<(Kind, Verb), usize>,
    /// Operations that have a name of their own, each with the id of what it was done to.
    pub(super) named: Vec<(String, String)>,
    pub(super) removal: &'static str,
}

/// What became of one record.
#[derive(Debug)]
pub(super) struct RowChange {
    pub(super) key: RecordKey,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: Option<Vec<u8>>,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verb {
    Create,
    Update,
    Remove,
}

impl Verb {
    /// What becomes of a record with these forms; `None` if there is none before or after.
    pub(super) fn between(was: bool, is: bool) -> Option<Self> {
        match (was, is) {
            (false, false) => None,
            (false, true) => Some(Self::Create),
            (true, true) => Some(Self::Update),
            (true, false) => Some(Self::Remove),
        }
    }

    /// The verb in the name of an operation, where what is removed is removed by `removal`.
    pub(super) fn name(self, removal: &'static str) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Remove => removal,
        }
    }
}

impl Recorder {
    fn new(entry: AuditEntry) -> Self {
        Self {
            entry,
            changes: Vec::new(),
            by_key: BTreeMap::new(),
            noted: BTreeMap::new(),
            counted: BTreeMap::new(),
            named: Vec::new(),
            removal: "delete",
        }
    }

    /// Notes that the record at `key` was written or, without a body, removed.
    pub(in super::super) fn note<E: Entity>(
        &mut self,
        key: &RecordKey,
        before: Option<&E>,
        after: Option<Vec<u8>>,
    ) -> Result<(), StoreError> {
        let known = self.by_key.get(key);
        if let Some(change) = known.and_then(|&at| self.changes.get_mut(at)) {
            change.after = after;
            return Ok(());
        }
        let kind = key.id().0;
        let noted = self.noted.entry(kind).or_default();
        if *noted == NAMED {
            if let Some(verb) = Verb::between(before.is_some(), after.is_some()) {
                *self.counted.entry((kind, verb)).or_default() += 1;
            }
            return Ok(());
        }
        *noted += 1;
        let mut before = before.map(|entity| body_of(key, entity)).transpose()?;
        if self.changes.len() >= DETAILED && after.is_none() {
            let label = before.as_deref().map(Label::read).unwrap_or_default();
            before = serde_json::to_vec(&serde_json::json!({"id": label.id})).ok();
        }
        self.by_key.insert(*key, self.changes.len());
        self.changes.push(RowChange {
            key: *key,
            before,
            after,
        });
        Ok(())
    }
}

impl RowsMut<'_> {
    /// The same rows, of which the audit trail is told what becomes of them.
    #[must_use]
    pub fn audited(self, entry: AuditEntry) -> Self {
        Self {
            recorder: Some(Recorder::new(entry)),
            ..self
        }
    }

    /// Says in the audit trail what is done to the entity with the id `entity`. Without this the trail
    /// says that it was created, updated or deleted.
    pub fn operation(&mut self, operation: impl Into<String>, entity: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.named.push((operation.into(), entity.to_owned()));
        }
    }

    /// Says in the audit trail why what is removed is removed: `expire` for `api-session.expire`.
    pub fn removal(&mut self, verb: &'static str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.removal = verb;
        }
    }

    /// Says in the audit trail who acts, where that is known only now.
    pub fn acts(&mut self, actor: &str) {
        if let Some(recorder) = &mut self.recorder {
            actor.clone_into(&mut recorder.entry.actor.id);
        }
    }

    /// Adds the events of this transaction to the audit trail, whose destination has what lies before
    /// `written`. Nothing else is written afterwards.
    pub fn write_events(&mut self, written: &WrittenMark) -> Result<(), StoreError> {
        let Some(recorder) = self.recorder.take() else {
            return Ok(());
        };
        let events = Telling::of(self.rows(), recorder)?;
        if !events.is_empty() {
            let backlog = AuditBacklog::read(self.rows())?;
            backlog.add(self.tx, &events, written);
        }
        Ok(())
    }

    /// Removes the events before `written`, which are with their destination.
    pub fn trim_events(&mut self, written: &WrittenMark) -> Result<(), StoreError> {
        let backlog = AuditBacklog::read(self.rows())?;
        if backlog.first_row < written.row {
            backlog.trim(self.tx, written);
        }
        Ok(())
    }

    /// Gives the trail an id, by which its destination knows it.
    pub fn name_trail(&mut self, trail: TrailId) -> Result<(), StoreError> {
        AuditBacklog::read(self.rows())?.name(self.tx, trail);
        Ok(())
    }
}
