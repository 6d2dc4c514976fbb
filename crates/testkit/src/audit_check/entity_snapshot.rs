//! Snapshots of all entities in the management API, compared with audit events.

use super::change::mismatches;
use super::flatten::{MemberMap, flatten};
use super::listed_kind::{KINDS, ListedKind};
use crate::harness::Harness;
use http::Method;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Noun and id.
type Key = (String, String);

/// All entities as listed at one moment.
#[derive(Debug, Default)]
pub struct EntitySnapshot(BTreeMap<Key, Entity>);

#[derive(Debug)]
struct Entity {
    kind: &'static ListedKind,
    name: Option<String>,
    owner: Option<String>,
    members: MemberMap,
}

impl EntitySnapshot {
    /// Reads all lists with the session of an administrator.
    pub async fn read(harness: &Harness, admin: &str) -> Self {
        let mut entities = BTreeMap::new();
        for kind in KINDS {
            let path = format!("{}?filter=true%20limit%20none", kind.list);
            let request = harness.request(Method::GET, &path).session(admin);
            let list = request.send().await.data();
            let Value::Array(list) = list else {
                panic!("{path} is no list: {list}")
            };
            for shown in list {
                let id = shown["id"].as_str().unwrap().to_owned();
                let known = entities.entry((kind.name.to_owned(), id));
                known.or_insert_with(|| Entity::new(kind, shown));
            }
        }
        Self(entities)
    }

    /// The id of the identity that an API session belongs to.
    pub fn session_owner(&self, session: &str) -> Option<&str> {
        let session = self.get("api-session", session)?;
        session.owner.as_deref()
    }

    /// The name of an identity or a router.
    pub fn name(&self, id: &str) -> Option<&str> {
        let holder = self.get("identity", id).or_else(|| self.get("router", id));
        holder.and_then(|holder| holder.name.as_deref())
    }

    /// Asserts that `events` describe the differences between this and `after`: which entities were
    /// created, deleted or changed, and the old and new values of their members.
    ///
    /// # Panics
    ///
    /// If they omit something, or describe something else.
    pub fn assert_audited(&self, after: &Self, events: &[Value]) {
        let mut changed = self.changed_entities(after);
        for (key, told) in by_entity(events) {
            changed.remove(&key);
            let (old, new) = (self.0.get(&key), after.0.get(&key));
            let Some(entity) = new.or(old) else {
                let is_listed = KINDS.iter().any(|kind| kind.name == key.0);
                assert!(!is_listed, "there is no {key:?}: {events:#?}");
                continue;
            };
            let sides = [old, new].map(|side| side.map(|side| &side.members));
            let complaints = mismatches(entity.kind, sides, &changes(&told));
            assert!(complaints.is_empty(), "{key:?}: {complaints:#?}\n{told:#?}");
            for event in told {
                let text = |member: &str| event[member].as_str();
                assert_eq!(text("entityName"), entity.name.as_deref(), "{event}");
                assert_eq!(text("owner"), entity.owner.as_deref(), "{event}");
                let name = |owner| after.name(owner).or_else(|| self.name(owner));
                let name = entity.owner.as_deref().and_then(name);
                assert_eq!(text("ownerName"), name, "{event}");
            }
        }
        assert!(changed.is_empty(), "no event for {changed:?}: {events:#?}");
    }

    fn get(&self, name: &str, id: &str) -> Option<&Entity> {
        self.0.get(&(name.to_owned(), id.to_owned()))
    }

    /// The entities that were created, deleted or changed until `after`.
    fn changed_entities(&self, after: &Self) -> BTreeSet<Key> {
        let members = |world: &Self, key| world.0.get(key).map(|entity| entity.members.clone());
        let keys = self.0.keys().chain(after.0.keys());
        let changed = keys.filter(|&key| members(self, key) != members(after, key));
        changed.cloned().collect()
    }
}

impl Entity {
    fn new(kind: &'static ListedKind, mut shown: Value) -> Self {
        let text = |member: &str| shown[member].as_str().map(str::to_owned);
        let name = text("name");
        let owner = kind.owner.iter().find_map(|member| text(member));
        let members = shown.as_object_mut().unwrap();
        for said_anyhow in ["_links", "id", "createdAt", "updatedAt"] {
            members.remove(said_anyhow);
        }
        (kind.convert)(members);
        for derived in kind.derived {
            members.remove(*derived);
        }
        Self {
            kind,
            name,
            owner,
            members: flatten(&shown),
        }
    }
}

/// Events by entity.
fn by_entity(events: &[Value]) -> BTreeMap<Key, Vec<&Value>> {
    let mut found = BTreeMap::<Key, Vec<&Value>>::new();
    for event in events {
        let text = |member: &str| event[member].as_str().unwrap_or_default();
        let (name, _verb) = text("operation").split_once('.').unwrap();
        let key = (name.to_owned(), text("entity").to_owned());
        found.entry(key).or_default().push(event);
    }
    found
}

/// The changes in events about one entity.
fn changes(events: &[&Value]) -> Map<String, Value> {
    let mut all = Map::new();
    for event in events {
        assert!(
            event.get("moreChanges").is_none(),
            "too many changes in one event: {event}"
        );
        let changes = event["changes"].as_object().cloned().unwrap_or_default();
        for (path, change) in changes {
            let twice = all.insert(path, change);
            assert_eq!(twice, None, "a member is audited twice: {events:#?}");
        }
    }
    all
}
