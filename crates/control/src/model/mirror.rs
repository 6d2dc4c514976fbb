//! The records that make up the router data model, as of one commit.

use super::ended_sessions::EndedSessions;
use super::entity;
use super::selection::{Policies, Selection};
use portcullis_data_model::{Change as ModelChange, Entity, EntityKey, Kind, Relation};
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::config::Config;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{
    ConfigId, ConfigTypeId, EntityId, IdentityId, PostureCheckId, RecordNumber, ServiceId,
};
use portcullis_domain::managed::Managed;
use portcullis_domain::policies::{ServicePolicy, ServicePolicySpec};
use portcullis_domain::revocation::Revocation;
use portcullis_domain::roles::{RoleAttributes, RoleSelectors};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Turns changes of records into changes of the model.
///
/// A removal names only the number of a record, and what a policy relates follows from records of other
/// kinds. So it keeps what it needs to know of them.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    ids: HashMap<(Kind, RecordNumber), String>,
    config_types: HashMap<ConfigId, ConfigTypeId>,
    policies: HashMap<RecordNumber, Arc<ServicePolicy>>,
    identities: Selection,
    services: Selection,
    posture_checks: Selection,
    disabled: TemporarilyDisabled,
    ended_sessions: EndedSessions,
}

/// Identities that are disabled until some time, at which nothing is committed.
#[derive(Debug, Default)]
struct TemporarilyDisabled {
    records: HashMap<RecordNumber, Arc<Identity>>,
    ends: BTreeSet<(Timestamp, RecordNumber)>,
}

/// A record that is an entity of the model.
trait EntityRecord {
    fn id(&self) -> &str;
}

impl EntityRecord for Identity {
    fn id(&self) -> &str {
        self.id.as_str()
    }
}

impl<I: EntityId, S> EntityRecord for Managed<I, S> {
    fn id(&self) -> &str {
        self.id.as_str()
    }
}

/// The id of an entity that service policies select.
trait SelectedId: EntityId {
    const KIND: Kind;

    /// The list of a policy that selects such entities.
    fn roles(policy: &ServicePolicySpec) -> &RoleSelectors<Self>;
}

impl SelectedId for IdentityId {
    const KIND: Kind = Kind::Identity;

    fn roles(policy: &ServicePolicySpec) -> &RoleSelectors<Self> {
        &policy.identity_roles
    }
}

impl SelectedId for ServiceId {
    const KIND: Kind = Kind::Service;

    fn roles(policy: &ServicePolicySpec) -> &RoleSelectors<Self> {
        &policy.service_roles
    }
}

impl SelectedId for PostureCheckId {
    const KIND: Kind = Kind::PostureCheck;

    fn roles(policy: &ServicePolicySpec) -> &RoleSelectors<Self> {
        &policy.posture_check_roles
    }
}

/// Whether a change may concern the model.
pub(super) const fn is_relevant(change: &Change) -> bool {
    matches!(
        change,
        Change::ConfigType(_)
            | Change::Config(_)
            | Change::Identity(_)
            | Change::Service(_)
            | Change::Router(_)
            | Change::PostureCheck(_)
            | Change::ServicePolicy(_)
            | Change::Revocation(_)
            | Change::ApiSession(_)
    )
}

impl Mirror {
    /// Takes over what was committed, in the order of the commits.
    pub(super) fn follow(&mut self, changes: &[Change], now: Timestamp) -> Vec<ModelChange> {
        let mut model = Vec::new();
        let mut written = Policies::new();
        // First, because identities name configurations together with their types.
        for change in changes {
            if let Change::Config(change) = change {
                self.follow_config(change, &mut model);
            }
        }
        for change in changes {
            self.follow_one(change, now, &mut model, &mut written);
        }
        let policies = written.into_iter().filter_map(|policy| self.policy(policy));
        model.extend(policies.map(ModelChange::Set));
        model
    }

    /// Takes over all records, whatever was committed since.
    pub(super) fn renew(&mut self, records: &[Change], now: Timestamp) -> Vec<ModelChange> {
        let before = std::mem::take(self);
        let mut model = self.follow(records, now);
        let gone = before
            .ids
            .into_iter()
            .filter(|(key, _)| !self.ids.contains_key(key));
        model.splice(
            ..0,
            gone.map(|((kind, _), id)| ModelChange::Removed(EntityKey { kind, id })),
        );
        model.extend(self.ended_sessions.renew(before.ended_sessions, now));
        model
    }

    /// Whether [`keep_time`](Self::keep_time) would return something.
    pub(super) fn has_aged(&self, now: Timestamp) -> bool {
        self.disabled.has_enabled(now) || self.ended_sessions.has_expired(now)
    }

    /// What has become of it by now, although nothing was committed.
    pub(super) fn keep_time(&mut self, now: Timestamp) -> Vec<ModelChange> {
        let enabled = self.disabled.take_enabled(now);
        let identities = enabled.iter().map(|record| {
            let type_of = |config: &ConfigId| self.config_types.get(config);
            ModelChange::Set(entity::identity(record, now, type_of))
        });
        let mut model: Vec<_> = identities.collect();
        model.extend(self.ended_sessions.expire(now));
        model
    }

    fn follow_one(
        &mut self,
        change: &Change,
        now: Timestamp,
        model: &mut Vec<ModelChange>,
        written: &mut Policies,
    ) {
        match change {
            Change::ConfigType(change) => {
                self.set(Kind::ConfigType, change, model, |_, record| {
                    Some(entity::config_type(record))
                });
            },
            Change::Identity(change) => {
                self.disabled.set(change, now);
                let id = self.set(Kind::Identity, change, model, |mirror, record| {
                    let type_of = |config: &ConfigId| mirror.config_types.get(config);
                    Some(entity::identity(record, now, type_of))
                });
                let record = change.entity.as_deref();
                let attributes = record.map(|record| &record.spec.role_attributes);
                let moved = self.identities.set_entity(&id, attributes);
                self.relate(&IdentityId::from_wire(id), moved, attributes, model);
            },
            Change::Service(change) => {
                let id = self.set(Kind::Service, change, model, |_, record| {
                    entity::service(record)
                });
                let record = change.entity.as_deref();
                let selectable = record.filter(|record| !record.spec.is_fabric_only);
                let attributes = selectable.map(|record| &record.spec.role_attributes);
                let moved = self.services.set_entity(&id, attributes);
                self.relate(&ServiceId::from_wire(id), moved, attributes, model);
            },
            Change::Router(change) => {
                self.set(Kind::Router, change, model, |_, record| {
                    Some(entity::router(record))
                });
            },
            Change::PostureCheck(change) => {
                let id = self.set(Kind::PostureCheck, change, model, |_, record| {
                    Some(entity::posture_check(record))
                });
                let record = change.entity.as_deref();
                let attributes = record.map(|record| &record.spec.role_attributes);
                let moved = self.posture_checks.set_entity(&id, attributes);
                self.relate(&PostureCheckId::from_wire(id), moved, attributes, model);
            },
            Change::ServicePolicy(change) => self.follow_policy(change, model, written),
            Change::Revocation(change) => self.follow_revocation(change, model),
            Change::ApiSession(change) => {
                model.extend(self.ended_sessions.follow(change, now));
            },
            _ => {},
        }
    }

    fn follow_config(&mut self, change: &EntityChange<Config>, model: &mut Vec<ModelChange>) {
        let id = self.set(Kind::Config, change, model, |_, record| {
            Some(entity::config(record))
        });
        let id = ConfigId::from_wire(id);
        match &change.entity {
            Some(record) => {
                let kind = record.spec.config_type.clone();
                self.config_types.insert(id, kind);
            },
            None => {
                self.config_types.remove(&id);
            },
        }
    }

    fn follow_policy(
        &mut self,
        change: &EntityChange<ServicePolicy>,
        model: &mut Vec<ModelChange>,
        written: &mut Policies,
    ) {
        let number = change.number;
        if let Some(before) = self.policies.remove(&number) {
            self.identities
                .remove_policy(number, &before.spec.identity_roles);
            self.services
                .remove_policy(number, &before.spec.service_roles);
            self.posture_checks
                .remove_policy(number, &before.spec.posture_check_roles);
        }
        let key = self.key(Kind::Policy, change);
        let Some(policy) = &change.entity else {
            model.push(ModelChange::Removed(key));
            return;
        };
        self.identities
            .add_policy(number, &policy.spec.identity_roles);
        self.services.add_policy(number, &policy.spec.service_roles);
        self.posture_checks
            .add_policy(number, &policy.spec.posture_check_roles);
        self.policies.insert(number, Arc::clone(policy));
        written.insert(number);
    }

    fn follow_revocation(
        &mut self,
        change: &EntityChange<Revocation>,
        model: &mut Vec<ModelChange>,
    ) {
        let id = self.set(Kind::Revocation, change, model, |_, record| {
            Some(entity::revocation(record))
        });
        let is_recorded = change.entity.is_some();
        self.ended_sessions.set_recorded(&id, is_recorded);
    }

    /// Sets the entity of a record, or removes it if there is none; returns its id.
    fn set<R: EntityRecord>(
        &mut self,
        kind: Kind,
        change: &EntityChange<R>,
        model: &mut Vec<ModelChange>,
        entity: impl FnOnce(&Self, &R) -> Option<Entity>,
    ) -> String {
        let key = self.key(kind, change);
        let id = key.id.clone();
        let record = change.entity.as_deref();
        model.push(match record.and_then(|record| entity(self, record)) {
            Some(entity) => ModelChange::Set(entity),
            None => ModelChange::Removed(key),
        });
        id
    }

    /// The key of the entity of a record, which is remembered until the record is removed.
    fn key<R: EntityRecord>(&mut self, kind: Kind, change: &EntityChange<R>) -> EntityKey {
        let record = (kind, change.number);
        let id = match &change.entity {
            Some(entity) => {
                let id = entity.id().to_owned();
                self.ids.insert(record, id.clone());
                id
            },
            // A record that came and went within a commit has none.
            None => self.ids.remove(&record).unwrap_or_default(),
        };
        EntityKey { kind, id }
    }

    /// Relates an entity with these attributes to the policies that have begun to select it, and no more
    /// to those that have ceased to. `moved` is what [`Selection::set_entity`] has returned.
    fn relate<I: SelectedId>(
        &self,
        id: &I,
        (before, policies): (Option<RoleAttributes>, Policies),
        now: Option<&RoleAttributes>,
        model: &mut Vec<ModelChange>,
    ) {
        for policy in policies {
            let Some(record) = self.policies.get(&policy) else {
                continue;
            };
            let selects = |attributes: Option<&RoleAttributes>| {
                let (spec, roles) = (&record.spec, I::roles(&record.spec));
                attributes.is_some_and(|attributes| roles.selects(spec.semantic, id, attributes))
            };
            let is_related = selects(now);
            if selects(before.as_ref()) != is_related {
                let entity = EntityKey {
                    kind: I::KIND,
                    id: id.as_str().to_owned(),
                };
                let relation = Relation {
                    policy: record.id.to_string(),
                    entity,
                };
                model.push(ModelChange::Related {
                    relation,
                    is_related,
                });
            }
        }
    }

    /// A policy with what it relates.
    fn policy(&self, number: RecordNumber) -> Option<Entity> {
        let record = self.policies.get(&number)?;
        let spec = &record.spec;
        let semantic = spec.semantic;
        Some(Entity::Policy(portcullis_data_model::Policy {
            services: self.services.members(semantic, &spec.service_roles),
            posture_checks: self
                .posture_checks
                .members(semantic, &spec.posture_check_roles),
            identities: self.identities.members(semantic, &spec.identity_roles),
            ..entity::policy(record)
        }))
    }
}

impl TemporarilyDisabled {
    fn set(&mut self, change: &EntityChange<Identity>, now: Timestamp) {
        let number = change.number;
        if let Some(before) = self.records.remove(&number)
            && let Some(end) = end_of_disablement(&before)
        {
            self.ends.remove(&(end, number));
        }
        if let Some(record) = &change.entity
            && let Some(end) = end_of_disablement(record)
            && record.is_disabled(now)
        {
            self.records.insert(number, Arc::clone(record));
            self.ends.insert((end, number));
        }
    }

    fn has_enabled(&self, now: Timestamp) -> bool {
        let first = self.ends.first();
        first.is_some_and(|(end, _)| *end <= now)
    }

    /// Takes the identities that are not disabled any more.
    fn take_enabled(&mut self, now: Timestamp) -> Vec<Arc<Identity>> {
        let mut enabled = Vec::new();
        while let Some((end, number)) = self.ends.first().copied()
            && end <= now
        {
            self.ends.remove(&(end, number));
            enabled.extend(self.records.remove(&number));
        }
        enabled
    }
}

fn end_of_disablement(identity: &Identity) -> Option<Timestamp> {
    identity.disabled.and_then(|disabled| disabled.until)
}

#[cfg(test)]
mod tests;
