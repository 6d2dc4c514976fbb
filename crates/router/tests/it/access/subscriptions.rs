//! What subscribed SDKs are told of services and posture.

use super::network::{
    COUNT, Truth, change, creation, identity, insert, linux, posture_check, second_factor, service,
};
use super::tokens::{KEY, sign, totp_claims};
use super::world::World;
use portcullis_data_model::{Entity, Policy};
use portcullis_router::edge::ChannelId;
use portcullis_seeded_random::Random;
use portcullis_wire::control::data_model::{
    Config, ConfigType, Identity, PolicyType, PostureCheckKind, Process, Service, ServiceConfigs,
    Subject,
};
use portcullis_wire::edge::{
    ChangedService, Operation, PolicyKind, Posture, ServiceChangeSet, TotpToken,
};
use std::collections::BTreeMap;

const CHANNEL: ChannelId = ChannelId(1);

fn config(id: &str, kind: &str, json: &str) -> Entity {
    Entity::Config(Config {
        id: id.to_owned(),
        type_id: kind.to_owned(),
        name: id.to_owned(),
        data_json: json.to_owned().into(),
    })
}

fn network() -> Truth {
    let mut truth = Truth::new();
    for id in ["host", "intercept"] {
        insert(
            &mut truth,
            Entity::ConfigType(ConfigType {
                id: id.to_owned(),
                name: format!("{id}.v1"),
                target: "service".to_owned(),
            }),
        );
    }
    insert(&mut truth, config("h", "host", "{\"port\":1}"));
    insert(&mut truth, config("i", "intercept", "{}"));
    insert(&mut truth, config("own", "host", "{\"port\":2}"));
    insert(&mut truth, config("lost", "no type", "{}"));
    let service = Service {
        configs: ["h", "i", "lost", "none"].map(str::to_owned).into(),
        requires_encryption: true,
        ..service("wiki")
    };
    insert(&mut truth, Entity::Service(service));
    insert(&mut truth, Entity::Identity(Box::new(alice("own"))));
    let checks = [
        ("code", second_factor(600)),
        ("system", linux(&[])),
        (
            "process",
            PostureCheckKind::Process(Box::new(Process {
                operating_system: "Linux".to_owned(),
                path: "/a".to_owned(),
                ..Process::default()
            })),
        ),
    ];
    for (id, kind) in checks {
        let mut check = posture_check(id, Some(kind));
        check.type_id = id.to_uppercase();
        insert(&mut truth, Entity::PostureCheck(check));
    }
    let policy = |id: &str, policy_type, checks: &[&str]| {
        Entity::Policy(Policy {
            id: id.to_owned(),
            name: id.to_owned(),
            policy_type,
            services: ["wiki".to_owned()].into(),
            posture_checks: checks.iter().map(|&id| id.to_owned()).collect(),
            identities: ["alice".to_owned()].into(),
        })
    };
    insert(
        &mut truth,
        policy("dial", PolicyType::Dial, &["code", "process"]),
    );
    insert(&mut truth, policy("bind", PolicyType::Bind, &["code"]));
    insert(&mut truth, policy("void", PolicyType::Invalid, &["system"]));
    truth
}

/// With a configuration of her own for `wiki`.
fn alice(config: &str) -> Identity {
    let own = ServiceConfigs {
        configs: [("host".to_owned(), config.to_owned())].into(),
    };
    Identity {
        service_configs: [("wiki".to_owned(), own)].into(),
        ..identity("alice")
    }
}

fn configs(service: &ChangedService) -> Vec<(&str, &str)> {
    let data = service.config_data.iter();
    data.map(|one| (one.type_name.as_str(), one.data_json.expose().as_str()))
        .collect()
}

#[test]
fn a_subscriber_is_told_everything_and_then_what_changes() {
    let mut world = World::new(&network());
    world.open(1, "alice", 10_000);
    assert_eq!(world.control.service_changes(CHANNEL), None);
    let all = world.control.subscribe(CHANNEL);
    assert_eq!(all.previous_index, -1);
    let [wiki] = all.services.as_slice() else {
        panic!("{all:?}");
    };
    assert!(wiki.requires_encryption && wiki.operation == Operation::Added);
    assert_eq!(wiki.policy_ids, ["bind", "dial"]);
    assert_eq!(wiki.configs, ["own", "i"]);
    assert_eq!(
        configs(wiki),
        [("host.v1", "{\"port\":2}"), ("intercept.v1", "{}")]
    );
    let kinds: Vec<_> = all.policies.iter().map(|policy| policy.kind).collect();
    assert_eq!(kinds, [PolicyKind::Bind, PolicyKind::Dial]);
    let checks = all.posture_checks.iter();
    let checks: Vec<_> = checks.map(|check| (&*check.id, &*check.kind)).collect();
    assert_eq!(checks, [("code", "CODE"), ("process", "PROCESS_MULTI")]);
    assert_eq!(all.posture_checks[0].timeout_seconds, 600);
    assert_eq!(all.posture_checks[1].semantic, "AllOf");
    assert_eq!(all.posture_checks[1].processes[0].path, "/a");

    // Nothing that concerns her.
    let other = creation(Subject::Identity(Box::new(identity("bob"))));
    assert!(world.change(vec![other]).changed_services.is_empty());
    assert_eq!(world.control.service_changes(CHANNEL), None);
    // The configuration that she has instead goes.
    let own = creation(Subject::Identity(Box::new(alice("none"))));
    assert_eq!(world.change(vec![own]).changed_services, [CHANNEL].into());
    let changes = world.control.service_changes(CHANNEL).unwrap();
    assert!(changes.index > all.index && changes.policies.is_empty());
    assert_eq!(changes.services[0].operation, Operation::Updated);
    assert_eq!(
        configs(&changes.services[0])[0],
        ("host.v1", "{\"port\":1}")
    );
    let renamed = Service {
        name: "another".to_owned(),
        ..service("wiki")
    };
    let renamed = creation(Subject::Service(Box::new(renamed)));
    assert_eq!(
        world.change(vec![renamed]).changed_services,
        [CHANNEL].into()
    );
    let changes = world.control.service_changes(CHANNEL).unwrap();
    assert_eq!(changes.services[0].name, "another");

    world.control.unsubscribe(CHANNEL);
    let own = creation(Subject::Identity(Box::new(alice("own"))));
    assert!(world.change(vec![own]).changed_services.is_empty());
}

#[test]
fn the_state_of_posture_is_one_of_what_was_told() {
    let mut world = World::new(&network());
    world.open(1, "alice", 10_000);
    let all = world.control.subscribe(CHANNEL);
    let state = world.control.posture_state(CHANNEL, world.time());
    assert_eq!(i64::try_from(state.structural_index), Ok(all.index));
    let checks = |state: &portcullis_wire::edge::PostureStateChange| {
        let checks = state.checks.iter();
        checks
            .map(|check| {
                (
                    check.id.clone(),
                    check.is_passing,
                    check.timeout_remaining_seconds,
                )
            })
            .collect::<Vec<_>>()
    };
    let expected = [("code", false, 0), ("process", false, -1)];
    let expected = expected.map(|(id, is_passing, left)| (id.to_owned(), is_passing, left));
    assert_eq!(checks(&state), expected);
    assert!(state.policies.iter().all(|policy| !policy.is_passing));

    let token = sign(KEY, &totp_claims("alice", world.now));
    let given = Posture::TotpToken(Box::new(TotpToken {
        token,
        ..TotpToken::default()
    }));
    let _ = world.report(1, vec![given]);
    world.now += 100;
    let state = world.control.posture_state(CHANNEL, world.time());
    assert_eq!(checks(&state)[0], ("code".to_owned(), true, 500));
    let end = state.checks[0].timeout_at.clone().unwrap();
    assert_eq!(end.seconds, world.now + 500);
    let passing: Vec<_> = state
        .policies
        .iter()
        .map(|policy| policy.is_passing)
        .collect();
    assert_eq!(passing, [true, false], "bind needs the code alone");
}

/// An SDK that does with changes what it is told.
#[derive(Default)]
struct Sdk {
    index: i64,
    services: BTreeMap<String, ChangedService>,
}

impl Sdk {
    fn take(&mut self, changes: ServiceChangeSet) {
        assert!(changes.index > self.index, "indexes rise");
        self.index = changes.index;
        for service in changes.services {
            let known = self.services.remove(&service.id);
            match service.operation {
                Operation::Added => assert_eq!(known, None),
                Operation::Updated => assert!(known.is_some_and(|known| known != service)),
                _ => {
                    assert!(known.is_some());
                    continue;
                },
            }
            let service = ChangedService {
                operation: Operation::Added,
                ..service
            };
            self.services.insert(service.id.clone(), service);
        }
    }
}

#[test]
fn subscribers_have_what_is_there_after_any_changes() {
    let mut told = 0;
    for seed in 0..60 {
        let mut random = Random::from_seed(seed);
        let mut truth = Truth::new();
        for _ in 0..20 {
            change(&mut truth, &mut random);
        }
        for entity in truth.values_mut() {
            if let Entity::Identity(identity) = entity {
                identity.is_disabled = false; // All may connect first.
            }
        }
        let mut world = World::new(&truth);
        let mut sdks: Vec<Sdk> = Vec::new();
        for channel in 0..COUNT {
            world.open(channel, &format!("i{channel}"), 100_000);
            let mut sdk = Sdk::default();
            sdk.take(world.control.subscribe(ChannelId(channel)));
            sdks.push(sdk);
        }
        let mut open: Vec<u64> = (0..COUNT).collect();
        for _ in 0..40 {
            change(&mut truth, &mut random);
            let events = super::enforcement::difference(&super::network::told(&world), &truth);
            let consequences = world.change(events);
            open.retain(|channel| !consequences.ended.contains_key(&ChannelId(*channel)));
            for channel in &open {
                let id = ChannelId(*channel);
                let changes = world.control.service_changes(id);
                let is_named = consequences.changed_services.contains(&id);
                assert!(
                    is_named || changes.is_none(),
                    "seed {seed}: it was not named"
                );
                let sdk = &mut sdks[usize::try_from(*channel).unwrap()];
                if let Some(changes) = changes {
                    told += 1;
                    sdk.take(changes);
                }
                let mut anew = Sdk::default();
                anew.take(world.control.subscribe(id));
                assert_eq!(sdk.services, anew.services, "seed {seed}");
            }
        }
    }
    assert!(told > 100, "{told} changes");
}
