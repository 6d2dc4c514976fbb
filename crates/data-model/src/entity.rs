//! What the model consists of.

use portcullis_wire::control::data_model::{
    Config, ConfigType, Identity, PolicyType, PostureCheck, RelatedEntity, Revocation, Router,
    Service, ServicePolicy, ServicePolicyChange, Subject,
};
use std::collections::BTreeSet;

/// Kinds of entities, each after those that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    ConfigType,
    Config,
    Identity,
    Service,
    Router,
    PostureCheck,
    Policy,
    Revocation,
}

impl Kind {
    /// As in answers to validations of the model.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConfigType => "configType",
            Self::Config => "config",
            Self::Identity => "identity",
            Self::Service => "service",
            Self::Router => "router",
            Self::PostureCheck => "postureCheck",
            Self::Policy => "servicePolicy",
            Self::Revocation => "revocation",
        }
    }
}

/// Names an entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityKey {
    pub kind: Kind,
    pub id: String,
}

/// An entity with all that routers know of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Entity {
    ConfigType(ConfigType),
    Config(Config),
    Identity(Box<Identity>),
    Service(Service),
    Router(Router),
    PostureCheck(PostureCheck),
    Policy(Policy),
    Revocation(Revocation),
}

/// A service policy and what it relates, by id. What it names must be in the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    pub id: String,
    pub name: String,
    pub policy_type: PolicyType,
    pub services: BTreeSet<String>,
    pub posture_checks: BTreeSet<String>,
    pub identities: BTreeSet<String>,
}

/// That a policy relates an entity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relation {
    /// Id of the policy.
    pub policy: String,
    pub entity: EntityKey,
}

impl Policy {
    /// Adds a relation or removes it; returns whether that is a change.
    pub(crate) fn relate(&mut self, entity: &EntityKey, is_related: bool) -> bool {
        let ids = match entity.kind {
            Kind::Service => &mut self.services,
            Kind::PostureCheck => &mut self.posture_checks,
            Kind::Identity => &mut self.identities,
            _ => return false,
        };
        if is_related {
            ids.insert(entity.id.clone())
        } else {
            ids.remove(&entity.id)
        }
    }

    /// What the policy relates, in the order in which routers are told.
    pub(crate) const fn relations(&self) -> [(RelatedEntity, &BTreeSet<String>); 3] {
        [
            (RelatedEntity::Service, &self.services),
            (RelatedEntity::PostureCheck, &self.posture_checks),
            (RelatedEntity::Identity, &self.identities),
        ]
    }

    /// What the policy relates, one by one.
    pub(crate) fn each_relation(&self) -> impl Iterator<Item = Relation> {
        let kinds = [
            (Kind::Service, &self.services),
            (Kind::PostureCheck, &self.posture_checks),
            (Kind::Identity, &self.identities),
        ];
        kinds.into_iter().flat_map(move |(kind, ids)| {
            ids.iter().map(move |id| Relation {
                policy: self.id.clone(),
                entity: EntityKey {
                    kind,
                    id: id.clone(),
                },
            })
        })
    }

    /// What this policy relates and `other` does not; `None` stands for a policy that relates nothing.
    pub(crate) fn relations_beyond<'a>(
        &'a self,
        other: Option<&'a Self>,
        adds: bool,
    ) -> impl Iterator<Item = ServicePolicyChange> + 'a {
        let others = other.map(Self::relations);
        self.relations()
            .into_iter()
            .map(move |(entity_type, ids)| {
                let known = others
                    .iter()
                    .flatten()
                    .find(|(other_type, _)| *other_type == entity_type)
                    .map(|(_, known)| *known);
                ServicePolicyChange {
                    policy_id: self.id.clone(),
                    entity_ids: ids
                        .iter()
                        .filter(|id| known.is_none_or(|known| !known.contains(*id)))
                        .cloned()
                        .collect(),
                    entity_type,
                    adds,
                }
            })
            .filter(|change| !change.entity_ids.is_empty())
    }
}

impl Entity {
    pub const fn kind(&self) -> Kind {
        match self {
            Self::ConfigType(_) => Kind::ConfigType,
            Self::Config(_) => Kind::Config,
            Self::Identity(_) => Kind::Identity,
            Self::Service(_) => Kind::Service,
            Self::Router(_) => Kind::Router,
            Self::PostureCheck(_) => Kind::PostureCheck,
            Self::Policy(_) => Kind::Policy,
            Self::Revocation(_) => Kind::Revocation,
        }
    }

    pub fn id(&self) -> &str {
        match self {
            Self::ConfigType(entity) => &entity.id,
            Self::Config(entity) => &entity.id,
            Self::Identity(entity) => &entity.id,
            Self::Service(entity) => &entity.id,
            Self::Router(entity) => &entity.id,
            Self::PostureCheck(entity) => &entity.id,
            Self::Policy(entity) => &entity.id,
            Self::Revocation(entity) => &entity.id,
        }
    }

    pub fn key(&self) -> EntityKey {
        EntityKey {
            kind: self.kind(),
            id: self.id().to_owned(),
        }
    }

    /// The entity without its relations.
    pub(crate) fn subject(&self) -> Subject {
        match self.clone() {
            Self::ConfigType(entity) => Subject::ConfigType(Box::new(entity)),
            Self::Config(entity) => Subject::Config(Box::new(entity)),
            Self::Identity(entity) => Subject::Identity(entity),
            Self::Service(entity) => Subject::Service(Box::new(entity)),
            Self::Router(entity) => Subject::Router(Box::new(entity)),
            Self::PostureCheck(entity) => Subject::PostureCheck(Box::new(entity)),
            Self::Policy(entity) => Subject::ServicePolicy(Box::new(ServicePolicy {
                id: entity.id,
                name: entity.name,
                policy_type: entity.policy_type,
            })),
            Self::Revocation(entity) => Subject::Revocation(Box::new(entity)),
        }
    }
}

impl Relation {
    /// What routers are told of it.
    pub(crate) fn change(&self, adds: bool) -> ServicePolicyChange {
        ServicePolicyChange {
            policy_id: self.policy.clone(),
            entity_ids: vec![self.entity.id.clone()],
            entity_type: match self.entity.kind {
                Kind::Service => RelatedEntity::Service,
                Kind::Identity => RelatedEntity::Identity,
                Kind::PostureCheck => RelatedEntity::PostureCheck,
                _ => RelatedEntity::Invalid,
            },
            adds,
        }
    }
}

impl EntityKey {
    /// The entity with nothing but its id, which is what counts on deletion.
    pub(crate) fn subject(&self) -> Subject {
        let id = self.id.clone();
        match self.kind {
            Kind::ConfigType => Subject::ConfigType(Box::new(ConfigType {
                id,
                ..ConfigType::default()
            })),
            Kind::Config => Subject::Config(Box::new(Config {
                id,
                ..Config::default()
            })),
            Kind::Identity => Subject::Identity(Box::new(Identity {
                id,
                ..Identity::default()
            })),
            Kind::Service => Subject::Service(Box::new(Service {
                id,
                ..Service::default()
            })),
            Kind::Router => Subject::Router(Box::new(Router {
                id,
                ..Router::default()
            })),
            Kind::PostureCheck => Subject::PostureCheck(Box::new(PostureCheck {
                id,
                ..PostureCheck::default()
            })),
            Kind::Policy => Subject::ServicePolicy(Box::new(ServicePolicy {
                id,
                ..ServicePolicy::default()
            })),
            Kind::Revocation => Subject::Revocation(Box::new(Revocation {
                id,
                ..Revocation::default()
            })),
        }
    }
}
