use super::*;
use portcullis_domain::config::{ConfigSpec, ConfigType, ConfigTypeSpec, JsonObject};
use portcullis_domain::identity::{Disabled, IdentityName, IdentitySpec};
use portcullis_domain::ids::{RevocationId, RouterId, ServicePolicyId};
use portcullis_domain::managed::Spec;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture_check::{Check, MfaCheck, PostureCheck, PostureCheckSpec};
use portcullis_domain::revocation::{RevocationSpec, RevocationType};
use portcullis_domain::roles::Semantic;
use portcullis_domain::router::{Router, RouterSpec};
use portcullis_domain::service::{Service, ServiceSpec};
use portcullis_domain::tags::Tags;
use portcullis_seeded_random::Random;
use std::collections::BTreeMap;

const SEEDS: u64 = 300;
/// Records of a kind, at most.
const RECORDS: u64 = 5;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// All records, as their last changes left them.
#[derive(Default)]
struct Records {
    by_number: BTreeMap<(u8, u64), Change>,
    now: i64,
}

fn managed<I, S: Spec>(id: I, spec: S) -> Arc<Managed<I, S>> {
    Arc::new(Managed::new(id, spec, Timestamp::UNIX_EPOCH).unwrap())
}

fn attributes(random: &mut Random) -> RoleAttributes {
    let all = ["a", "b", "c"];
    RoleAttributes::new(all.into_iter().filter(|_| random.one_in(2))).unwrap()
}

fn roles<I: EntityId>(random: &mut Random) -> RoleSelectors<I> {
    if random.one_in(5) {
        return RoleSelectors::All;
    }
    let ids = (0..RECORDS).map(|number| format!("@{number}"));
    let attributes = ["#a", "#b", "#c"].map(str::to_owned);
    let selectors: Vec<String> = ids.chain(attributes).filter(|_| random.one_in(3)).collect();
    RoleSelectors::new("roles", selectors).unwrap()
}

fn identity(random: &mut Random, id: String, name: String, now: i64) -> Arc<Identity> {
    let spec = IdentitySpec {
        role_attributes: attributes(random),
        ..IdentitySpec::named(IdentityName::new(name).unwrap())
    };
    let mut record = Identity::new(IdentityId::from_wire(id), spec, at(0));
    if random.one_in(4) {
        let until = now + i64::try_from(random.below(10)).unwrap();
        record.disabled = Some(Disabled {
            at: at(0),
            until: Some(at(until)),
        });
    }
    Arc::new(record)
}

fn policy(random: &mut Random, id: String, name: String) -> Arc<ServicePolicy> {
    let spec = ServicePolicySpec {
        semantic: Semantic::ALL[usize::from(random.one_in(2))],
        identity_roles: roles(random),
        service_roles: roles(random),
        posture_check_roles: roles(random),
        ..ServicePolicySpec::new(name, ServiceGrant::Dial)
    };
    managed(ServicePolicyId::from_wire(id), spec)
}

impl Records {
    /// A change of some record.
    fn draw(&mut self, random: &mut Random) -> Change {
        let kind = u8::try_from(random.below(8)).unwrap();
        let number = random.below(RECORDS);
        let id = number.to_string();
        let name = format!("name {}", random.below(3));
        let is_removed = random.one_in(4);
        macro_rules! change {
            ($variant:ident, $record:expr) => {
                Change::$variant(EntityChange {
                    owner: None,
                    number: RecordNumber(number),
                    before: None,
                    entity: (!is_removed).then(|| $record),
                })
            };
        }
        let change = match kind {
            0 => change!(
                ConfigType,
                managed::<_, ConfigTypeSpec>(
                    ConfigTypeId::from_wire(id),
                    ConfigTypeSpec::named(name)
                )
            ),
            1 => {
                // The type of a configuration never changes.
                let kind = ConfigTypeId::from_wire(format!("type of {id}"));
                let spec = ConfigSpec::new(name, kind, JsonObject::new());
                change!(Config, managed(ConfigId::from_wire(id), spec))
            },
            2 => change!(Identity, identity(random, id, name, self.now)),
            3 => {
                let spec = ServiceSpec {
                    role_attributes: attributes(random),
                    is_fabric_only: number == 0,
                    ..ServiceSpec::named(name)
                };
                change!(Service, managed(ServiceId::from_wire(id), spec))
            },
            4 => change!(
                Router,
                managed(RouterId::from_wire(id), RouterSpec::edge_router(name))
            ),
            5 => {
                let spec = PostureCheckSpec {
                    role_attributes: attributes(random),
                    ..PostureCheckSpec::new(name, Check::Mfa(MfaCheck::default()))
                };
                change!(PostureCheck, managed(PostureCheckId::from_wire(id), spec))
            },
            6 => change!(ServicePolicy, policy(random, id, name)),
            _ => {
                let spec = RevocationSpec {
                    revoked: RevocationType::Jti,
                    issued_before: at(0),
                    expires_at: at(100),
                    tags: Tags::default(),
                };
                change!(Revocation, managed(RevocationId::from_wire(id), spec))
            },
        };
        if is_removed {
            self.by_number.remove(&(kind, number));
        } else {
            self.by_number.insert((kind, number), change.clone());
        }
        change
    }

    fn all(&self) -> Vec<Change> {
        self.by_number.values().cloned().collect()
    }

    /// The entities that follow from the records, each found by looking at all of them.
    fn entities(&self) -> BTreeMap<EntityKey, Entity> {
        let now = at(self.now);
        let entity = |change: &Change| match change {
            Change::ConfigType(change) => {
                let record: &ConfigType = change.entity.as_ref()?;
                Some(entity::config_type(record))
            },
            Change::Config(change) => Some(entity::config(change.entity.as_ref()?)),
            Change::Identity(change) => {
                Some(entity::identity(change.entity.as_ref()?, now, |_| None))
            },
            Change::Service(change) => entity::service(change.entity.as_ref()?),
            Change::Router(change) => {
                let record: &Router = change.entity.as_ref()?;
                Some(entity::router(record))
            },
            Change::PostureCheck(change) => Some(entity::posture_check(change.entity.as_ref()?)),
            Change::ServicePolicy(change) => {
                let record = change.entity.as_ref()?;
                let (semantic, spec) = (record.spec.semantic, &record.spec);
                Some(Entity::Policy(portcullis_data_model::Policy {
                    identities: self.selected(|change| match change {
                        Change::Identity(change) => change
                            .entity
                            .as_ref()
                            .filter(|record| {
                                let attributes = &record.spec.role_attributes;
                                spec.identity_roles
                                    .selects(semantic, &record.id, attributes)
                            })?
                            .id
                            .to_string()
                            .into(),
                        _ => None,
                    }),
                    services: self.selected(|change| match change {
                        Change::Service(change) => {
                            let record: &Service = change.entity.as_ref()?;
                            let attributes = &record.spec.role_attributes;
                            let selects =
                                spec.service_roles.selects(semantic, &record.id, attributes);
                            (selects && !record.spec.is_fabric_only).then(|| record.id.to_string())
                        },
                        _ => None,
                    }),
                    posture_checks: self.selected(|change| match change {
                        Change::PostureCheck(change) => {
                            let record: &PostureCheck = change.entity.as_ref()?;
                            let attributes = &record.spec.role_attributes;
                            let roles = &spec.posture_check_roles;
                            roles
                                .selects(semantic, &record.id, attributes)
                                .then(|| record.id.to_string())
                        },
                        _ => None,
                    }),
                    ..entity::policy(record)
                }))
            },
            Change::Revocation(change) => Some(entity::revocation(change.entity.as_ref()?)),
            _ => None,
        };
        let entities = self.by_number.values().filter_map(entity);
        entities.map(|entity| (entity.key(), entity)).collect()
    }

    fn selected(&self, id: impl Fn(&Change) -> Option<String>) -> BTreeSet<String> {
        self.by_number.values().filter_map(id).collect()
    }
}

fn apply(entities: &mut BTreeMap<EntityKey, Entity>, changes: Vec<ModelChange>) {
    let (mut written, mut relations) = (BTreeSet::new(), Vec::new());
    for change in changes {
        match change {
            ModelChange::Set(entity) => {
                written.insert(entity.key());
                entities.insert(entity.key(), entity);
            },
            ModelChange::Removed(key) => {
                entities.remove(&key);
            },
            ModelChange::Related {
                relation,
                is_related,
            } => relations.push((relation, is_related)),
        }
    }
    for (relation, is_related) in relations {
        let key = EntityKey {
            kind: Kind::Policy,
            id: relation.policy,
        };
        if !written.contains(&key)
            && let Some(Entity::Policy(policy)) = entities.get_mut(&key)
        {
            let ids = match relation.entity.kind {
                Kind::Identity => &mut policy.identities,
                Kind::Service => &mut policy.services,
                _ => &mut policy.posture_checks,
            };
            let id = relation.entity.id;
            let is_new = if is_related {
                ids.insert(id)
            } else {
                ids.remove(&id)
            };
            assert!(is_new, "only changes are told");
        }
    }
}

#[test]
fn the_model_is_what_follows_from_the_records() {
    let mut relations = 0;
    for seed in 0..SEEDS {
        let mut random = Random::from_seed(seed);
        let mut records = Records::default();
        let mut mirror = Mirror::default();
        let mut entities = BTreeMap::new();
        for _ in 0..60 {
            let changes: Vec<_> = (0..=random.below(4))
                .map(|_| records.draw(&mut random))
                .collect();
            let changes = match random.below(12) {
                0 => mirror.renew(&records.all(), at(records.now)),
                _ => mirror.follow(&changes, at(records.now)),
            };
            apply(&mut entities, changes);
            records.now += i64::try_from(random.below(3)).unwrap();
            apply(&mut entities, mirror.keep_time(at(records.now)));
            let expected = records.entities();
            assert_eq!(entities, expected, "seed {seed}");
            relations += expected
                .values()
                .filter(|entity| matches!(entity, Entity::Policy(policy) if !policy.identities.is_empty()))
                .count();
        }
    }
    assert!(relations > 0, "policies relate something");
}

#[test]
fn configurations_of_a_service_for_an_identity_have_their_types() {
    let kind = ConfigTypeId::from_wire("host.v1");
    let spec = ConfigSpec::new("c", kind, JsonObject::new());
    let config = EntityChange {
        owner: None,
        number: RecordNumber(1),
        before: None,
        entity: Some(managed(ConfigId::from_wire("c"), spec)),
    };
    let spec = IdentitySpec::named(IdentityName::new("i").unwrap());
    let mut record = Identity::new(IdentityId::from_wire("i"), spec, at(0));
    let configs = BTreeSet::from([ConfigId::from_wire("c")]);
    record
        .service_configs
        .insert(ServiceId::from_wire("s"), configs);
    let identity = EntityChange {
        owner: None,
        number: RecordNumber(1),
        before: None,
        entity: Some(Arc::new(record)),
    };
    // A snapshot has identities before configurations.
    let changes = [Change::Identity(identity), Change::Config(config)];
    let model = Mirror::default().follow(&changes, at(0));
    let found = model.iter().find_map(|change| match change {
        ModelChange::Set(Entity::Identity(identity)) => {
            let configs = &identity.service_configs.get("s")?.configs;
            configs.get("host.v1").cloned()
        },
        _ => None,
    });
    assert_eq!(found.as_deref(), Some("c"));
}
