//! Entities that were created, changed or deleted.

use super::stored_form::{Half, stored_form};
use portcullis_domain::audit::{Actor, ActorType};
use portcullis_domain::change::{Change, Transaction};
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_domain::ids::RecordNumber;
use portcullis_events::{
    Body, ChangeAuthor, ChangeKind, ChangeMetadata, ChangeSource, ENTITY_TYPES, EntityChange,
    EntityCommit, EntityState,
};
use portcullis_storage::tables::{ChangeSide, collection_of, disclose};
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
    let metadata = LazyCell::new(|| Arc::new(metadata(transaction, controller)));
    let mut bodies = Vec::new();
    let mut commits = Vec::new();
    for ChangedEntity { first, last } in changed_entities(changes) {
        let Some(name) = collection_of(first).and_then(entity_type) else {
            continue;
        };
        let mut before = disclose(first, ChangeSide::Before);
        let mut after = disclose(last, ChangeSide::After);
        let kind = match (&before, &after) {
            (None, Some(_)) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(before), Some(after)) if before != after => ChangeKind::Updated,
            // What has changed concerns nobody, such as the count of wrong passwords.
            _ => continue,
        };
        let entity_type: Arc<str> = name.into();
        let halves = if WITH_PARENT.contains(&name) {
            &[Half::Whole, Half::Fabric][..]
        } else {
            &[Half::Whole]
        };
        for &half in halves {
            let is_parent = half == Half::Fabric;
            let state = |told: &mut Option<Value>| {
                let told = match halves {
                    [_only] => told.take(),
                    _ => told.clone(),
                };
                EntityState(
                    told.map(|told| Arc::new(stored_form(name, told, half, transaction.time))),
                )
            };
            bodies.push(Body::EntityChange(EntityChange {
                event_id: Arc::clone(&event_id),
                kind,
                metadata: Arc::clone(&metadata),
                entity_type: Arc::clone(&entity_type),
                is_parent,
                before: state(&mut before),
                after: state(&mut after),
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

fn metadata(transaction: &Transaction, controller: &str) -> ChangeMetadata {
    let actor = &transaction.actor;
    let source = actor.origin.as_ref().map(|origin| ChangeSource {
        kind: match actor.actor_type {
            ActorType::ConnectedRouter => "ctrl.channel",
            ActorType::ConnectedIdentity => "websocket",
            _ => "rest",
        },
        auth: actor.session.is_some().then_some("edge"),
        remote_addr: origin.address.to_string(),
    });
    let request = actor
        .origin
        .as_ref()
        .map(|origin| origin.request.as_str().to_owned());
    ChangeMetadata {
        author: author(actor, transaction.actor_name.as_deref(), controller),
        source,
        trace_id: request,
        version: OPENZITI_LEVEL,
    }
}

fn author(actor: &Actor, name: Option<&str>, controller: &str) -> ChangeAuthor {
    let kind = match actor.actor_type {
        ActorType::Controller | ActorType::Operator => {
            return ChangeAuthor {
                kind: "controller",
                id: controller.to_owned(),
                name: controller.to_owned(),
            };
        },
        _ if actor.id.is_empty() => "unattributed",
        ActorType::Identity | ActorType::ConnectedIdentity => "identity",
        ActorType::Router | ActorType::ConnectedRouter => "router",
    };
    ChangeAuthor {
        kind,
        id: actor.id.clone(),
        name: name.unwrap_or_default().to_owned(),
    }
}
