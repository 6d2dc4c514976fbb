//! What a transaction changed, as events.

use crate::audience::{AddressedEvent, Audience};
use crate::entities::Entities;
use crate::entity::{Entity, EntityKey, Kind, Policy, Relation};
use portcullis_wire::control::data_model::{Action, Router, ServicePolicyChange, Subject};
use std::collections::{BTreeMap, BTreeSet};

/// The entities that a transaction wrote, as they were before it.
pub(crate) type Before = BTreeMap<EntityKey, Option<Entity>>;

/// The least events that lead from `before` to `now`, in an order in which all that is named exists:
/// relations end, entities are created and updated, and others are deleted.
///
/// `audiences` says who might see the written configurations before; `relations` are those that were added
/// to policies or removed from them by themselves.
pub(crate) fn events(
    before: &Before,
    audiences: &BTreeMap<String, Audience>,
    relations: &BTreeMap<Relation, bool>,
    now: &Entities,
) -> Vec<AddressedEvent> {
    let changed: Vec<_> = before
        .iter()
        .map(|(key, old)| (key, old.as_ref(), now.get(key)))
        .filter(|(_, old, new)| old != new)
        .collect();
    let renewed_routers: BTreeSet<&str> = changed
        .iter()
        .filter(|(key, _, new)| key.kind == Kind::Router && new.is_some())
        .map(|(key, _, _)| key.id.as_str())
        .collect();

    let related = |adds: bool| {
        let relations = relations.iter();
        relations
            .filter(move |(_, is_related)| **is_related == adds)
            .map(move |(changed, _)| relation(changed.change(adds)))
    };

    let mut events: Vec<_> = related(false).collect();
    for (_, old, new) in &changed {
        if let (Some(Entity::Policy(old)), Some(Entity::Policy(new))) = (old, new) {
            events.extend(old.relations_beyond(Some(new), false).map(relation));
        }
    }
    for (_, old, new) in &changed {
        let Some(new) = new else { continue };
        let action = if old.is_some() {
            Action::Update
        } else {
            Action::Create
        };
        match (old, new) {
            (_, Entity::Config(config)) => {
                let mut audience = now.audience(config);
                if let Audience::Only(routers) = &mut audience {
                    // These get it with the event of the router.
                    routers.retain(|router| !renewed_routers.contains(router.as_str()));
                    if routers.is_empty() {
                        continue;
                    }
                }
                events.push(AddressedEvent::new(action, new.subject(), audience));
            },
            (old, Entity::Router(router)) => {
                events.extend(now.configs_in_front_of(router));
                events.push(for_everyone(action, new));
                if let Some(Entity::Router(old)) = old {
                    events.extend(dropped_configs(old, &router.configs, now));
                }
            },
            (old, Entity::Policy(policy)) => {
                let old = match old {
                    Some(Entity::Policy(old)) => Some(old),
                    _ => None,
                };
                let is_same = |old: &Policy| {
                    (&old.name, old.policy_type) == (&policy.name, policy.policy_type)
                };
                if !old.is_some_and(is_same) {
                    events.push(for_everyone(action, new));
                }
                events.extend(policy.relations_beyond(old, true).map(relation));
            },
            _ => events.push(for_everyone(action, new)),
        }
    }
    events.extend(related(true));
    for (key, old, new) in changed.iter().rev() {
        if new.is_none() {
            let audience = match key.kind {
                Kind::Config => audiences.get(&key.id).cloned(),
                _ => None,
            };
            let audience = audience.unwrap_or(Audience::Everyone);
            events.push(AddressedEvent::new(Action::Delete, key.subject(), audience));
            if let Some(Entity::Router(router)) = old {
                events.extend(dropped_configs(router, &[], now));
            }
        }
    }
    events
}

fn for_everyone(action: Action, entity: &Entity) -> AddressedEvent {
    AddressedEvent::new(action, entity.subject(), Audience::Everyone)
}

fn relation(change: ServicePolicyChange) -> AddressedEvent {
    AddressedEvent::new(
        Action::Create,
        Subject::ServicePolicyChange(Box::new(change)),
        Audience::Everyone,
    )
}

/// The configurations for routers that a router does not list any more, and so must not keep.
fn dropped_configs<'a>(
    old: &'a Router,
    listed: &'a [String],
    now: &'a Entities,
) -> impl Iterator<Item = AddressedEvent> + 'a {
    let is_dropped = |id: &&String| !listed.contains(*id);
    old.configs.iter().filter(is_dropped).filter_map(|id| {
        let key = EntityKey {
            kind: Kind::Config,
            id: id.clone(),
        };
        match now.get(&key) {
            Some(Entity::Config(config)) if now.is_for_routers(config) => Some(
                AddressedEvent::new(Action::Delete, key.subject(), Audience::one(&old.id))
                    .synthetic(),
            ),
            _ => None,
        }
    })
}
