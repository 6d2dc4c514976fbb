//! Notes what a transaction does, and makes events of it.

use super::described::{Described, described};
use super::event::Event;
use super::journal::AuditBacklog;
use super::members::{Members, difference};
use crate::engine::StoreError;
use crate::frame;
use crate::key::RecordKey;
use crate::tables::kind::{Entity, Index, UniqueValue};
use crate::tables::read::Rows;
use crate::tables::write::RowsMut;
use portcullis_domain::audit::Actor;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ApiSessionId;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Records of one transaction whose members are told of. Removing something can take along thousands,
/// and of those that are removed beyond this, only the ids are told.
const DETAILED: usize = 64;

/// On whose behalf a transaction acts.
#[derive(Debug, Clone)]
pub struct AuditEntry {
    /// Who acts.
    pub actor: Actor,
    /// When.
    pub time: Timestamp,
    /// Rows of the trail before this one are written to their destination.
    pub written: u64,
}

/// What a transaction did so far.
#[derive(Debug)]
pub(in super::super) struct Recorder {
    entry: AuditEntry,
    changes: Vec<RowChange>,
    by_key: BTreeMap<RecordKey, usize>,
    /// Operations that have a name of their own, each with the id of what it was done to.
    named: Vec<(String, String)>,
    removal: &'static str,
}

/// What became of one record.
#[derive(Debug)]
struct RowChange {
    key: RecordKey,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
}

impl Recorder {
    fn new(entry: AuditEntry) -> Self {
        Self {
            entry,
            changes: Vec::new(),
            by_key: BTreeMap::new(),
            named: Vec::new(),
            removal: "delete",
        }
    }

    /// Notes that the record at `key` was written or, without a body, removed.
    pub(in super::super) fn note<E: Entity>(
        &mut self,
        key: &RecordKey,
        before: Option<&E>,
        after: Option<&[u8]>,
    ) -> Result<(), StoreError> {
        let after = after.map(<[u8]>::to_vec);
        if let Some(change) = self
            .by_key
            .get(key)
            .and_then(|&at| self.changes.get_mut(at))
        {
            change.after = after;
            return Ok(());
        }
        let unfit = |error| StoreError::corrupt(format!("record {key} has no form: {error}"));
        let mut before = before.map(serde_json::to_vec).transpose().map_err(unfit)?;
        if self.changes.len() >= DETAILED && after.is_none() {
            let label = before.as_deref().map(Label::of).unwrap_or_default();
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

/// Id and name of a record.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Label {
    id: String,
    name: Option<String>,
    spec: Option<Box<Self>>,
    enrollment: Option<Box<Self>>,
}

impl Label {
    fn of(record: &[u8]) -> Self {
        let Ok(mut label) = serde_json::from_slice::<Self>(record) else {
            return Self::default();
        };
        label.name = label.name.or_else(|| label.spec.take()?.name);
        match label.enrollment.take() {
            Some(inner) => *inner,
            None => label,
        }
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

    /// Adds the events of this transaction to the audit trail. Nothing is written afterwards.
    pub fn write_events(&mut self) -> Result<(), StoreError> {
        let Some(recorder) = self.recorder.take() else {
            return Ok(());
        };
        let written = recorder.entry.written;
        let events = Telling::new(self.rows(), recorder.entry).tell(
            recorder.changes,
            recorder.named,
            recorder.removal,
        )?;
        if !events.is_empty() {
            let backlog = AuditBacklog::read(self.rows())?;
            backlog.add(self.tx, &events, written);
        }
        Ok(())
    }

    /// Removes the events in the rows before `written`, which are written to their destination.
    pub fn trim_events(&mut self, written: u64) -> Result<(), StoreError> {
        let backlog = AuditBacklog::read(self.rows())?;
        if backlog.first_row < written {
            backlog.trim(self.tx, written);
        }
        Ok(())
    }
}

/// Makes events of what was noted.
struct Telling<'t> {
    rows: Rows<'t>,
    entry: AuditEntry,
    time: String,
    source: Option<String>,
    actor_name: Option<String>,
    owners: BTreeMap<(u8, u64), Label>,
    events: Vec<String>,
}

/// An operation on a record or, without one, on whatever has the id.
struct Told<'a> {
    operation: &'a str,
    entity: &'a Label,
    owner: Option<&'a Label>,
}

impl<'t> Telling<'t> {
    fn new(rows: Rows<'t>, entry: AuditEntry) -> Self {
        Self {
            rows,
            time: entry.time.to_string(),
            source: entry
                .actor
                .origin
                .as_ref()
                .map(|origin| origin.address.to_string()),
            entry,
            actor_name: None,
            owners: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    fn tell(
        mut self,
        changes: Vec<RowChange>,
        mut named: Vec<(String, String)>,
        removal: &'static str,
    ) -> Result<Vec<String>, StoreError> {
        if changes.is_empty() && named.is_empty() {
            return Ok(Vec::new());
        }
        self.actor_name = self.name_of_actor(&changes)?;
        for change in changes {
            self.tell_change(change, &mut named, removal)?;
        }
        for (operation, entity) in named {
            let is_actor = entity == self.entry.actor.id;
            let entity = Label {
                id: entity,
                name: self.actor_name.clone().filter(|_| is_actor),
                ..Label::default()
            };
            let told = Told {
                operation: &operation,
                entity: &entity,
                owner: None,
            };
            let event = self.event(&told);
            let line = text(&event)?;
            self.events.push(line);
        }
        Ok(self.events)
    }

    fn tell_change(
        &mut self,
        change: RowChange,
        named: &mut Vec<(String, String)>,
        removal: &'static str,
    ) -> Result<(), StoreError> {
        let RowChange { key, before, after } = change;
        let kind = described(key.id().0);
        let verb = match (&before, &after) {
            (None, None) => return Ok(()),
            (None, Some(_)) => "create",
            (Some(_), Some(_)) => "update",
            (Some(_), None) => removal,
        };
        let owner = self.owner(&key)?;
        let mut entity = Label::of(
            after
                .as_ref()
                .or(before.as_ref())
                .map_or(&[], Vec::as_slice),
        );
        if kind.is_some_and(|kind| kind.goes_by_owner)
            && let Some(owner) = &owner
        {
            entity = owner.clone();
        }
        let difference = difference(
            members(before.as_deref(), kind.as_ref())?,
            members(after.as_deref(), kind.as_ref())?,
        );
        let noun = kind.map_or("record", |kind| kind.noun);
        let given = take_name(named, (noun, verb), &entity.id);
        if given.is_none() && difference.is_empty() && verb == "update" {
            return Ok(());
        }
        let operation = given.unwrap_or_else(|| format!("{noun}.{verb}"));
        let told = Told {
            operation: &operation,
            entity: &entity,
            owner: owner.as_ref(),
        };
        let event = self.event(&told).about(difference);
        let line = text(&event)?;
        self.events.push(line);
        Ok(())
    }

    fn event<'e>(&'e self, told: &Told<'e>) -> Event<'e> {
        let actor = &self.entry.actor;
        Event {
            timestamp: &self.time,
            operation: told.operation,
            entity: &told.entity.id,
            entity_name: told.entity.name.as_deref(),
            owner: told.owner.map(|owner| &*owner.id),
            owner_name: told.owner.and_then(|owner| owner.name.as_deref()),
            actor: &actor.id,
            actor_name: self.actor_name.as_deref(),
            session: actor.session.as_ref().map(ApiSessionId::as_str),
            source: self.source.as_deref(),
            request: actor.origin.as_ref().map(|origin| origin.request.as_str()),
            changes: serde_json::Map::new(),
            more_changes: 0,
        }
    }

    /// Id and name of what a record lives under.
    fn owner(&mut self, key: &RecordKey) -> Result<Option<Label>, StoreError> {
        if key.is_root() {
            return Ok(None);
        }
        let (kind, number) = key.root_id();
        let root = (kind.byte(), number);
        if !self.owners.contains_key(&root) {
            let label = self.label_at(&RecordKey::root(kind, number))?;
            self.owners.insert(root, label.unwrap_or_default());
        }
        let label = self.owners.get(&root).cloned();
        Ok(label.filter(|label| !label.id.is_empty()))
    }

    /// The name of whoever acts, which may be gone by its own act.
    fn name_of_actor(&self, changes: &[RowChange]) -> Result<Option<String>, StoreError> {
        let id = self.entry.actor.id.as_str();
        for index in [Index::IdentityId, Index::RouterId] {
            let found = self.rows.lookup(&UniqueValue::new(index, id).key())?;
            if let Some(key) = found {
                return Ok(self.label_at(&key)?.and_then(|label| label.name));
            }
        }
        let gone = changes.iter().filter(|change| change.key.is_root());
        let mut gone = gone.filter_map(|change| change.before.as_deref().map(Label::of));
        Ok(gone
            .find(|label| label.id == id)
            .and_then(|label| label.name))
    }

    fn label_at(&self, key: &RecordKey) -> Result<Option<Label>, StoreError> {
        let Some(row) = self.rows.tx().get(key.as_bytes())? else {
            return Ok(None);
        };
        Ok(Some(Label::of(frame::decode(key.as_bytes(), &row)?)))
    }
}

/// Takes the name that was given to an operation on an entity out of the list. What is only updated goes by
/// any name that was given to an operation on whatever has the id.
fn take_name(
    named: &mut Vec<(String, String)>,
    (noun, verb): (&str, &str),
    id: &str,
) -> Option<String> {
    let fits = |operation: &str| {
        let about = operation
            .split_once('.')
            .map_or(operation, |(about, _)| about);
        about == noun || verb == "update"
    };
    let at = named
        .iter()
        .position(|(operation, entity)| entity == id && fits(operation))?;
    Some(named.remove(at).0)
}

fn members(record: Option<&[u8]>, kind: Option<&Described>) -> Result<Members, StoreError> {
    let Some(record) = record else {
        return Ok(Members::default());
    };
    let record: Value = serde_json::from_slice(record)
        .map_err(|error| StoreError::corrupt(format!("a record has no form: {error}")))?;
    Ok(Members::of(record, kind))
}

fn text(event: &Event<'_>) -> Result<String, StoreError> {
    serde_json::to_string(event)
        .map_err(|error| StoreError::corrupt(format!("an event has no form: {error}")))
}
