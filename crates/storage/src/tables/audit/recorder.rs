//! Recording of the changes of a transaction.

use super::events::EventBuilder;
use super::journal::{AuditBacklog, WrittenCursor};
use super::label::Label;
use crate::engine::StoreError;
use crate::key::{Kind, RecordKey};
use crate::tables::kind::Entity;
use crate::tables::write::{RowsMut, encode_body};
use portcullis_domain::audit::{Actor, AuditTrailId};
use portcullis_domain::change::{Change, Transaction};
use portcullis_domain::clock::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Maximum number of records per transaction with detailed changes. A removal can cascade to
/// thousands; beyond the limit only ids of removed records are kept.
const MAX_DETAILED: usize = 64;
/// Maximum number of individual events per kind and transaction; the rest is counted.
const MAX_NAMED_PER_KIND: usize = 1000;

/// Actor and time of an audited transaction.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    pub actor: Actor,
    pub time: Timestamp,
}

/// Changes of a transaction so far.
#[derive(Debug)]
pub(in super::super) struct Recorder {
    pub(super) entry: AuditEntry,
    pub(super) changes: Vec<RecordChange>,
    pub(super) by_key: BTreeMap<RecordKey, usize>,
    /// Individually recorded changes by kind.
    recorded_counts: BTreeMap<Kind, usize>,
    /// Number of further changes by kind and action.
    pub(super) counted: BTreeMap<(Kind, RecordAction), usize>,
    /// Explicitly named operations with the id of their entity.
    pub(super) operations: Vec<(String, String)>,
    pub(super) removal: &'static str,
}

/// The change of one record.
#[derive(Debug)]
pub(super) struct RecordChange {
    pub(super) key: RecordKey,
    pub(super) before: Option<Vec<u8>>,
    pub(super) after: Option<Vec<u8>>,
}

/// The kind of change of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RecordAction {
    Create,
    Update,
    Remove,
}

impl RecordAction {
    /// The action, given existence before and after; `None` if neither.
    pub(super) fn between(was: bool, is: bool) -> Option<Self> {
        match (was, is) {
            (false, false) => None,
            (false, true) => Some(Self::Create),
            (true, true) => Some(Self::Update),
            (true, false) => Some(Self::Remove),
        }
    }

    /// The verb in operation names, with `removal` for removals.
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
            recorded_counts: BTreeMap::new(),
            counted: BTreeMap::new(),
            operations: Vec::new(),
            removal: "delete",
        }
    }

    /// Records that the record at `key` was written or, without a body, removed.
    pub(in super::super) fn record<E: Entity>(
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
        let noted = self.recorded_counts.entry(kind).or_default();
        if *noted == MAX_NAMED_PER_KIND {
            if let Some(verb) = RecordAction::between(before.is_some(), after.is_some()) {
                *self.counted.entry((kind, verb)).or_default() += 1;
            }
            return Ok(());
        }
        *noted += 1;
        let mut before = before.map(|entity| encode_body(key, entity)).transpose()?;
        if self.changes.len() >= MAX_DETAILED && after.is_none() {
            let label = before.as_deref().map(Label::read).unwrap_or_default();
            before = serde_json::to_vec(&serde_json::json!({"id": label.id})).ok();
        }
        self.by_key.insert(*key, self.changes.len());
        self.changes.push(RecordChange {
            key: *key,
            before,
            after,
        });
        Ok(())
    }
}

impl RowsMut<'_> {
    /// Records all changes for the audit trail.
    #[must_use]
    pub fn audited(self, entry: AuditEntry) -> Self {
        Self {
            recorder: Some(Recorder::new(entry)),
            ..self
        }
    }

    /// Names the operation on the entity with the id `entity`. The default is create, update or
    /// delete.
    pub fn set_operation(&mut self, operation: impl Into<String>, entity: &str) {
        if let Some(recorder) = &mut self.recorder {
            recorder
                .operations
                .push((operation.into(), entity.to_owned()));
        }
    }

    /// Sets the verb for removals: `expire` for `api-session.expire`.
    pub fn set_removal_verb(&mut self, verb: &'static str) {
        if let Some(recorder) = &mut self.recorder {
            recorder.removal = verb;
        }
    }

    /// Sets the actor id, if it becomes known during the transaction.
    pub fn set_actor(&mut self, actor: &str) {
        if let Some(recorder) = &mut self.recorder {
            actor.clone_into(&mut recorder.entry.actor.id);
        }
    }

    /// Adds the events of this transaction to the audit trail, given the position of the
    /// destination. Must be the last write.
    ///
    /// With an id, observers of the store are told as well who made the changes.
    pub fn write_events(
        &mut self,
        written: &WrittenCursor,
        transaction: Option<&str>,
    ) -> Result<(), StoreError> {
        let Some(recorder) = self.recorder.take() else {
            return Ok(());
        };
        let told = transaction.filter(|_| self.changes > 0);
        let told = told.map(|id| (id, recorder.entry.clone()));
        let events = EventBuilder::build(self.rows(), recorder)?;
        if !events.is_empty() {
            let backlog = AuditBacklog::read(self.rows())?;
            backlog.add(self.tx, &events, written);
        }
        if let Some((id, AuditEntry { actor, time })) = told {
            self.tx.record(Change::Transaction(Arc::new(Transaction {
                id: id.to_owned(),
                changes: self.changes,
                actor,
                actor_name: events.actor_name,
                time,
            })));
        }
        Ok(())
    }

    /// Removes the events before `written`.
    pub fn trim_events(&mut self, written: &WrittenCursor) -> Result<(), StoreError> {
        let backlog = AuditBacklog::read(self.rows())?;
        if backlog.first_row < written.row {
            backlog.trim(self.tx, written);
        }
        Ok(())
    }

    /// Sets the id of the trail.
    pub fn set_trail(&mut self, trail: AuditTrailId) -> Result<(), StoreError> {
        AuditBacklog::read(self.rows())?.set_trail(self.tx, trail);
        Ok(())
    }
}
