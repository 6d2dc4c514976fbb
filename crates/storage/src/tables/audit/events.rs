//! Builds audit events from recorded changes.

use super::difference::Difference;
use super::label::Label;
use super::node::Node;
use super::recorder::{AuditEntry, RecordAction, RecordChange, Recorder};
use super::schema::{AuditSchema, audit_schema};
use crate::engine::StoreError;
use crate::frame;
use crate::key::{Kind, RecordKey};
use crate::tables::kind::{UniqueIndex, UniqueValue};
use crate::tables::read::Rows;
use portcullis_domain::audit::Event;
use portcullis_domain::ids::ApiSessionId;
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Buffer size in bytes that fits most events.
const EVENT_BYTES: usize = 1024;

/// Fields of a change event.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct EventDetail<'d> {
    /// Id of the entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entity_name: Option<&'d str>,
    /// Id of the identity or router that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner_name: Option<&'d str>,
    #[serde(skip_serializing_if = "Difference::has_no_members")]
    changes: Difference<'d>,
    #[serde(skip_serializing_if = "is_zero")]
    more_changes: usize,
    /// Number of records in a summary event.
    #[serde(skip_serializing_if = "is_zero")]
    count: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands members over by reference"
)]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Events as JSON lines.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) lines: Vec<u8>,
    pub(super) count: u64,
    /// Name of the actor, if it is an identity or a router.
    pub(super) actor_name: Option<String>,
}

impl Events {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

pub(super) struct EventBuilder<'t> {
    rows: Rows<'t>,
    entry: AuditEntry,
    time: String,
    source: Option<String>,
    actor_name: Option<String>,
    /// Labels of actors and owners by record; empty for missing records.
    labels: BTreeMap<(Kind, u64), Label>,
    events: Events,
}

impl<'t> EventBuilder<'t> {
    /// Builds the events of a transaction.
    pub(super) fn build(rows: Rows<'t>, recorder: Recorder) -> Result<Events, StoreError> {
        if recorder.changes.is_empty() && recorder.operations.is_empty() {
            return Ok(Events::default());
        }
        let origin = recorder.entry.actor.origin.as_ref();
        let mut builder = Self {
            rows,
            time: recorder.entry.time.to_string(),
            source: origin.map(|origin| origin.address().to_string()),
            actor_name: None,
            labels: removed_labels(&recorder.changes),
            entry: recorder.entry,
            events: Events::default(),
        };
        let actor = builder.entry.actor.id.clone();
        builder.actor_name = builder.name_of(&actor)?;
        let mut named = recorder.operations;
        for change in &recorder.changes {
            builder.add_change(change, &mut named, recorder.removal)?;
        }
        builder.add_operations(&named)?;
        for ((kind, verb), count) in recorder.counted {
            let name = kind_name(audit_schema(kind));
            let operation = format!("{name}.{}", verb.name(recorder.removal));
            let detail = EventDetail {
                count,
                ..EventDetail::default()
            };
            builder.add(&operation, detail)?;
        }
        Ok(Events {
            actor_name: builder.actor_name,
            ..builder.events
        })
    }

    /// Adds operations that changed no record.
    fn add_operations(&mut self, named: &[(String, String)]) -> Result<(), StoreError> {
        for (operation, entity) in named {
            let name = self.name_of(entity)?;
            let detail = EventDetail {
                entity: Some(entity),
                entity_name: name.as_deref(),
                ..EventDetail::default()
            };
            self.add(operation, detail)?;
        }
        Ok(())
    }

    fn add_change(
        &mut self,
        change: &RecordChange,
        named: &mut Vec<(String, String)>,
        removal: &'static str,
    ) -> Result<(), StoreError> {
        let RecordChange { key, before, after } = change;
        let Some(verb) = RecordAction::between(before.is_some(), after.is_some()) else {
            return Ok(());
        };
        let kind = audit_schema(key.id().0);
        let owner = self.owner(key)?;
        let mut entity = after.as_deref().or(before.as_deref()).map(Label::read);
        if kind.is_some_and(|kind| kind.is_identified_by_owner) && owner.is_some() {
            entity.clone_from(&owner);
        }
        let entity = entity.unwrap_or_default();
        let (before, after) = (node(before.as_deref())?, node(after.as_deref())?);
        let difference = Difference::between(before, after, kind);
        let (name, verb) = (kind_name(kind), verb.name(removal));
        let given = take_operation(named, (name, verb), &entity.id);
        if given.is_none() && difference.is_empty() && verb == "update" {
            return Ok(());
        }
        let operation = given.unwrap_or_else(|| format!("{name}.{verb}"));
        let detail = EventDetail {
            entity: Some(&entity.id),
            entity_name: entity.name.as_deref(),
            owner: owner.as_ref().map(|owner| &*owner.id),
            owner_name: owner.as_ref().and_then(|owner| owner.name.as_deref()),
            more_changes: difference.more,
            changes: difference,
            count: 0,
        };
        self.add(&operation, detail)
    }

    fn add(&mut self, operation: &str, detail: EventDetail<'_>) -> Result<(), StoreError> {
        let actor = &self.entry.actor;
        let event = Event {
            actor: Some(&actor.id),
            actor_name: self.actor_name.as_deref(),
            session: actor.session.as_ref().map(ApiSessionId::as_str),
            source: self.source.as_deref(),
            request: actor.origin.as_ref().map(|origin| origin.request.as_str()),
            ..Event::new(&self.time, operation, detail)
        };
        let lines = &mut self.events.lines;
        lines.reserve(EVENT_BYTES);
        if !lines.is_empty() {
            lines.push(b'\n');
        }
        serde_json::to_writer(lines, &event)
            .map_err(|error| StoreError::corrupt(format!("an event cannot be encoded: {error}")))?;
        self.events.count += 1;
        Ok(())
    }

    /// Label of the owner of a record, possibly removed by the same transaction.
    fn owner(&mut self, key: &RecordKey) -> Result<Option<Label>, StoreError> {
        if key.is_root() {
            return Ok(None);
        }
        let label = self.label(key.root_id())?;
        Ok(Some(label.clone()).filter(|label| !label.id.is_empty()))
    }

    /// Name of an identity or a router, possibly removed by the same transaction.
    fn name_of(&mut self, id: &str) -> Result<Option<String>, StoreError> {
        for index in [UniqueIndex::IdentityId, UniqueIndex::RouterId] {
            let key = self.rows.lookup(&UniqueValue::new(index, id).key())?;
            if let Some(key) = key {
                return Ok(self.label(key.id())?.name.clone());
            }
        }
        let gone = self.labels.values().find(|label| label.id == id);
        Ok(gone.and_then(|label| label.name.clone()))
    }

    fn label(&mut self, root: (Kind, u64)) -> Result<&Label, StoreError> {
        Ok(match self.labels.entry(root) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let label = label_at(self.rows, &RecordKey::root(root.0, root.1))?;
                unknown.insert(label.unwrap_or_default())
            },
        })
    }
}

/// Labels of removed root records.
fn removed_labels(changes: &[RecordChange]) -> BTreeMap<(Kind, u64), Label> {
    let removed = changes.iter().filter(|change| change.after.is_none());
    removed
        .filter(|change| change.key.is_root())
        .filter_map(|change| {
            let label = Label::read(change.before.as_deref()?);
            Some((change.key.root_id(), label))
        })
        .collect()
}

fn label_at(rows: Rows<'_>, key: &RecordKey) -> Result<Option<Label>, StoreError> {
    let Some(row) = rows.tx().get(key.as_bytes())? else {
        return Ok(None);
    };
    Ok(Some(Label::read(frame::decode(key.as_bytes(), &row)?)))
}

/// Takes the explicitly named operation on an entity out of the list. Updates match any operation
/// on the id.
fn take_operation(
    named: &mut Vec<(String, String)>,
    (name, verb): (&str, &str),
    id: &str,
) -> Option<String> {
    let fits = |operation: &str| {
        let about = operation
            .split_once('.')
            .map_or(operation, |(about, _)| about);
        about == name || verb == "update"
    };
    let at = named
        .iter()
        .position(|(operation, entity)| entity == id && fits(operation))?;
    Some(named.remove(at).0)
}

fn kind_name(kind: Option<&AuditSchema>) -> &'static str {
    kind.map_or("record", |kind| kind.name)
}

fn node(record: Option<&[u8]>) -> Result<Option<Node<'_>>, StoreError> {
    record
        .map(Node::read)
        .transpose()
        .map_err(|error| StoreError::corrupt(format!("a record cannot be parsed: {error}")))
}
