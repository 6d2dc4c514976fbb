//! Entities that were created, changed or deleted.

use portcullis_domain::audit::{Actor, ActorType};
use portcullis_domain::change::{Change, Transaction};
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_domain::ids::RecordNumber;
use portcullis_events::{Body, ChangeKind, ENTITY_TYPES, EntityChange, EntityCommit, EntityState};
use portcullis_storage::tables::{ChangeSide, collection_of, disclose};
use serde::Serialize;
use serde_json::Value;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

/// Types of which the fabric's half changes as well.
const WITH_PARENT: [&str; 2] = ["routers", "services"];

/// The type of the entities of a collection of the APIs, as events name it.
pub(crate) fn entity_type(collection: &str) -> Option<&'static str> {
    let mut types = ENTITY_TYPES.into_iter();
    types.find(|name| letters(name).eq(letters(collection)))
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    let letters = name.bytes().filter(|letter| *letter != b'-');
    letters.map(|letter| letter.to_ascii_lowercase())
}

/// The events of a transaction: one for each entity that it has changed, however often, and then that it is
/// committed, for each type that subscribers may filter by.
pub(super) fn bodies(transaction: &Transaction, changes: &[Change], controller: &str) -> Vec<Body> {
    let event_id: Arc<str> = transaction.id.as_str().into();
    let metadata = LazyCell::new(|| metadata(transaction, controller));
    let mut bodies = Vec::new();
    let mut commits = Vec::new();
    for ChangedEntity { first, last } in changed_entities(changes) {
        let Some(name) = collection_of(first).and_then(entity_type) else {
            continue;
        };
        let state = |change, side| EntityState(disclose(change, side).map(Arc::new));
        let before = state(first, ChangeSide::Before);
        let after = state(last, ChangeSide::After);
        let kind = match (&before.0, &after.0) {
            (None, Some(_)) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(before), Some(after)) if before != after => ChangeKind::Updated,
            // What has changed concerns nobody, such as the count of wrong passwords.
            _ => continue,
        };
        let entity_type: Arc<str> = name.into();
        let halves = if WITH_PARENT.contains(&name) {
            &[false, true][..]
        } else {
            &[false]
        };
        for &is_parent in halves {
            bodies.push(Body::EntityChange(EntityChange {
                event_id: Arc::clone(&event_id),
                kind,
                metadata: (*metadata).clone(),
                entity_type: Arc::clone(&entity_type),
                is_parent,
                before: before.clone(),
                after: after.clone(),
            }));
            let commit = (Arc::clone(&entity_type), is_parent);
            if !commits.contains(&commit) {
                commits.push(commit);
            }
        }
    }
    let commits = commits.into_iter().map(|(entity_type, is_parent)| {
        Body::EntityCommit(EntityCommit {
            event_id: Arc::clone(&event_id),
            entity_type,
            is_parent,
        })
    });
    bodies.extend(commits);
    bodies
}

/// What a transaction has done to one entity.
struct ChangedEntity<'c> {
    first: &'c Change,
    last: &'c Change,
}

/// The entities that were changed, in the order in which each was first.
fn changed_entities(changes: &[Change]) -> Vec<ChangedEntity<'_>> {
    let mut entities: Vec<ChangedEntity<'_>> = Vec::new();
    let mut places: BTreeMap<(&str, RecordNumber), usize> = BTreeMap::new();
    for change in changes {
        let Some(key) = collection_of(change).zip(change.number()) else {
            continue;
        };
        match places.entry(key) {
            Entry::Occupied(place) => {
                if let Some(entity) = entities.get_mut(*place.get()) {
                    entity.last = change;
                }
            },
            Entry::Vacant(place) => {
                place.insert(entities.len());
                entities.push(ChangedEntity {
                    first: change,
                    last: change,
                });
            },
        }
    }
    entities
}

/// Who changed it, and from where.
#[derive(Serialize)]
struct Metadata<'t> {
    author: Author<'t>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Source>,
    /// The id of the request, as in the audit trail.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'t str>,
    version: &'static str,
}

#[derive(Serialize)]
struct Author<'t> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'t str,
    name: &'t str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Source {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    auth: Option<&'static str>,
    remote_addr: String,
}

fn metadata(transaction: &Transaction, controller: &str) -> Value {
    let actor = &transaction.actor;
    let source = actor.origin.as_ref().map(|origin| Source {
        kind: match actor.actor_type {
            ActorType::ConnectedRouter => "ctrl.channel",
            ActorType::ConnectedIdentity => "websocket",
            _ => "rest",
        },
        auth: actor.session.is_some().then_some("edge"),
        remote_addr: origin.address.to_string(),
    });
    let request = actor.origin.as_ref().map(|origin| origin.request.as_str());
    let metadata = Metadata {
        author: Author::new(actor, transaction.actor_name.as_deref(), controller),
        source,
        trace_id: request,
        version: OPENZITI_LEVEL,
    };
    // Texts alone, which cannot fail.
    serde_json::to_value(metadata).unwrap_or_default()
}

impl<'t> Author<'t> {
    fn new(actor: &'t Actor, name: Option<&'t str>, controller: &'t str) -> Self {
        let kind = match actor.actor_type {
            ActorType::Controller | ActorType::Operator => {
                return Self {
                    kind: "controller",
                    id: controller,
                    name: controller,
                };
            },
            _ if actor.id.is_empty() => "unattributed",
            ActorType::Identity | ActorType::ConnectedIdentity => "identity",
            ActorType::Router | ActorType::ConnectedRouter => "router",
        };
        Self {
            kind,
            id: &actor.id,
            name: name.unwrap_or_default(),
        }
    }
}
