//! Entities that were created, changed or deleted.

use super::EventOutput;
use super::stored_form::{Half, StoredForm};
use portcullis_domain::audit::{Actor, ActorType};
use portcullis_domain::change::{Change, Transaction};
use portcullis_domain::compatibility::OPENZITI_LEVEL;
use portcullis_domain::ids::RecordNumber;
use portcullis_events::{
    Body, ChangeAuthor, ChangeKind, ChangeMetadata, ChangeSource, ENTITY_TYPES, EntityChange,
    EntityCommit,
};
use portcullis_storage::tables::{ChangeSide, collection_of, disclosed_entity};
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

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
///
/// This is on the way of each commit. An entity is read once, from its record to its text, and only if somebody wants it:
/// even to count its bytes for the bounds of queues would be as much work, and its record would stay in memory.
pub(super) fn bodies(
    transaction: &Transaction,
    changes: &[Change],
    output: &EventOutput,
) -> Vec<Body> {
    let event_id: Arc<str> = transaction.id.as_str().into();
    let metadata = LazyCell::new(|| Arc::new(metadata(transaction, &output.source)));
    let mut bodies = Vec::new();
    let mut commits = Vec::new();
    for changed in changed_entities(changes) {
        let Some(entity_type) = collection_of(changed.first).and_then(entity_type) else {
            continue;
        };
        let is_wanted = |half: &Half| output.wants_entities(entity_type, half.is_parent());
        let halves = Half::of(entity_type).iter().copied();
        let mut halves = halves.filter(is_wanted).peekable();
        if halves.peek().is_none() {
            continue;
        }
        let before = disclosed_entity(changed.first, ChangeSide::Before);
        let after = disclosed_entity(changed.last, ChangeSide::After);
        let kind = match (&before, &after) {
            (None, Some(_)) => ChangeKind::Created,
            (Some(_), None) => ChangeKind::Deleted,
            (Some(before), Some(after)) if before != after => ChangeKind::Updated,
            // It concerns nobody, such as another count of wrong passwords.
            _ => continue,
        };
        let form = |entity| StoredForm::new(entity_type, entity, transaction.time);
        let (before, after) = (before.map(form), after.map(form));
        for half in halves {
            let is_parent = half.is_parent();
            let state = |entity: &Option<StoredForm>| {
                let state = entity.as_ref().map(|entity| entity.state(half));
                state.unwrap_or_default()
            };
            bodies.push(Body::EntityChange(EntityChange {
                event_id: Arc::clone(&event_id),
                kind,
                metadata: Arc::clone(&metadata),
                entity_type,
                is_parent,
                before: state(&before),
                after: state(&after),
            }));
            if !commits.contains(&(entity_type, is_parent)) {
                commits.push((entity_type, is_parent));
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
        local_addr: origin.target.clone(),
        remote_addr: origin.peer.to_string(),
        method: origin.method,
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
