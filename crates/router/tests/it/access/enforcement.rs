//! What loses its right is named, when it does and not before.

use super::judging::second;
use super::naive::{self, Machine};
use super::network::{
    COUNT, Truth, change, creation, creations, identity, insert, key, posture_check, second_factor,
    service, subject_key,
};
use super::seeds::for_seeds;
use super::tokens::{KEY, access_claims, sign, totp_claims};
use super::world::{START, World, circuit, terminator};
use portcullis_data_model::{Entity, Kind, Policy};
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::access::{
    Consequences, DataModel, EndReason, LossReason, Usage, UsedService,
};
use portcullis_router::edge::{Access as _, ChannelId};
use portcullis_seeded_random::Random;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    Action, Event, PolicyType, Revocation, Service, State, Subject, ValidateDataState,
};
use portcullis_wire::control::session::SessionsRemoved;
use portcullis_wire::edge::{Domain, OperatingSystem, Posture, TotpToken};
use portcullis_wire::{ErrorCode, Timestamp as WireTimestamp};
use std::collections::{BTreeMap, BTreeSet};

/// `alice` may dial `wiki` and host `mail`, if she has given a code within ten minutes; `bob` may dial
/// `wiki`.
fn network() -> Truth {
    let mut truth = Truth::new();
    for id in ["alice", "bob"] {
        insert(&mut truth, Entity::Identity(Box::new(identity(id))));
    }
    for id in ["wiki", "mail"] {
        insert(&mut truth, Entity::Service(service(id)));
    }
    let check = posture_check("code", Some(second_factor(600)));
    insert(&mut truth, Entity::PostureCheck(check));
    let policy = |id: &str, policy_type, service: &str, checks: &[&str], identity: &str| {
        Entity::Policy(Policy {
            id: id.to_owned(),
            name: id.to_owned(),
            policy_type,
            services: [service.to_owned()].into(),
            posture_checks: checks.iter().map(|&id| id.to_owned()).collect(),
            identities: [identity.to_owned()].into(),
        })
    };
    let dial = PolicyType::Dial;
    insert(
        &mut truth,
        policy("alice-wiki", dial, "wiki", &["code"], "alice"),
    );
    let bind = PolicyType::Bind;
    insert(
        &mut truth,
        policy("alice-mail", bind, "mail", &["code"], "alice"),
    );
    insert(&mut truth, policy("bob-wiki", dial, "wiki", &[], "bob"));
    truth
}

fn totp(world: &World, identity: &str) -> Posture {
    Posture::TotpToken(Box::new(TotpToken {
        token: sign(KEY, &totp_claims(identity, world.now)),
        ..TotpToken::default()
    }))
}

fn deletion(subject: Subject) -> Event {
    Event {
        action: Action::Delete,
        ..creation(subject)
    }
}

fn revocation(id: &str, kind: &str, issued_before: Option<i64>) -> Event {
    creation(Subject::Revocation(Box::new(Revocation {
        id: id.to_owned(),
        kind: kind.to_owned(),
        issued_before: issued_before.map(|seconds| WireTimestamp { seconds, nanos: 0 }),
        expires_at: None,
    })))
}

fn lost(consequences: &Consequences) -> Vec<&Usage> {
    assert!(consequences.ended.is_empty(), "{consequences:?}");
    consequences.lost.keys().collect()
}

#[test]
fn a_code_opens_for_its_time_and_the_end_is_named_when_it_comes() {
    let mut world = World::new(&network());
    let session = world.open(1, "alice", 3600);
    let dial = circuit(1, ServiceGrant::Dial, "dialed");
    let refused = world.begin(&dial, "wiki").unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::PostureCheckFailed));
    assert_eq!(refused.kind.unwrap().failing_checks, ["code"]);
    let code = totp(&world, "alice");
    let changed = world.report(1, vec![code]);
    assert_eq!(changed.changed_posture, [ChannelId(1)].into());
    world.begin(&dial, "wiki").unwrap();
    let (host, served) = (
        terminator(1, "host"),
        circuit(1, ServiceGrant::Bind, "served"),
    );
    world.begin(&host, "mail").unwrap();
    world.begin(&served, "mail").unwrap();
    world.control.end(&served);

    world.now += 599;
    let check = |world: &World| {
        let now = world.time();
        world
            .control
            .check_grant(&session, ServiceGrant::Dial, &"wiki".into(), now)
    };
    check(&world).unwrap();
    assert!(lost(&world.pass(0)).is_empty());
    world.messages();
    assert_eq!(world.control.deadline(), second(START + 600));
    world.now += 1;
    check(&world).unwrap_err();
    let ended = world.pass(0);
    assert_eq!(lost(&ended), [&dial, &host]);
    let why = LossReason::Posture(["code".to_owned()].into());
    assert!(ended.lost.values().all(|reason| *reason == why));
    assert!(lost(&world.pass(0)).is_empty(), "once is enough");
}

#[test]
fn a_code_at_the_login_counts_once() {
    let mut world = World::new(&network());
    let mut claims = access_claims("alice", START, START + 3600);
    claims["amr"] = serde_json::json!(["password", "totp"]);
    let token = sign(KEY, &claims);
    let session = world.authenticate(&token, "alice").unwrap();
    world.control.open(ChannelId(1), &session);
    let dial = circuit(1, ServiceGrant::Dial, "dialed");
    world.begin(&dial, "wiki").unwrap();
    world.now += 300;
    // The next token tells of a login that is newer, which would make the code last longer.
    let mut claims = access_claims("alice", world.now, world.now + 3600);
    claims["amr"] = serde_json::json!(["totp"]);
    let token = sign(KEY, &claims);
    let renewed = world.control.renew(&session, &token, world.time()).unwrap();
    world.control.renewed(&renewed);
    assert_eq!(lost(&world.pass(300)), [&dial]);
}

#[test]
fn losses_are_those_of_one_identity_and_service() {
    let mut world = World::new(&network());
    world.open(1, "alice", 3600);
    world.open(2, "bob", 3600);
    let code = totp(&world, "alice");
    let _ = world.report(1, vec![code]);
    let usages = [
        (circuit(1, ServiceGrant::Dial, "a"), "wiki"),
        (terminator(1, "t"), "mail"),
        (circuit(1, ServiceGrant::Bind, "served"), "mail"),
        (circuit(2, ServiceGrant::Dial, "b"), "wiki"),
    ];
    for (usage, service) in &usages {
        world.begin(usage, service).unwrap();
    }
    // The policy of the host goes: its terminator and what it serves end.
    let gone = network()[&key(Kind::Policy, "alice-mail")].clone();
    let Entity::Policy(gone) = gone else { panic!() };
    let without = Truth::from([(key(Kind::Policy, &gone.id), Entity::Policy(gone))]);
    let subject = creations(&without)[0].subject.clone().unwrap();
    let consequences = world.change(vec![deletion(subject)]);
    assert_eq!(lost(&consequences), [&usages[2].0, &usages[1].0]);
    // The service goes: those who dialed it end, whoever they are.
    let service = Subject::Service(Box::new(service("wiki")));
    let consequences = world.change(vec![deletion(service)]);
    assert_eq!(lost(&consequences), [&usages[0].0, &usages[3].0]);
}

#[test]
fn channels_end_with_their_identity_session_or_token() {
    type Case = (&'static str, fn(&mut World) -> Consequences, EndReason);
    let events: [Case; 7] = [
        (
            "deleted",
            |world| {
                world.change(vec![deletion(Subject::Identity(Box::new(identity(
                    "alice",
                ))))])
            },
            EndReason::IdentityDeleted,
        ),
        (
            "disabled",
            |world| {
                let mut disabled = identity("alice");
                disabled.is_disabled = true;
                world.change(vec![creation(Subject::Identity(Box::new(disabled)))])
            },
            EndReason::IdentityDisabled,
        ),
        (
            "not in the next state",
            |world| {
                let mut truth = network();
                truth.remove(&key(Kind::Identity, "alice"));
                world
                    .control
                    .disconnect_controller(&"c1".into(), second(START));
                world
                    .control
                    .connect_controller(&"c1".into(), second(START));
                world.now += 2;
                world.replace(&truth)
            },
            EndReason::IdentityDeleted,
        ),
        (
            "session revoked",
            |world| world.change(vec![revocation("session of alice", "API_SESSION", None)]),
            EndReason::Revoked,
        ),
        (
            "token revoked",
            |world| world.change(vec![revocation("token of alice", "JTI", None)]),
            EndReason::Revoked,
        ),
        (
            "identity revoked",
            |world| world.change(vec![revocation("alice", "IDENTITY", Some(START))]),
            EndReason::Revoked,
        ),
        ("expired", |world| world.pass(100), EndReason::Expired),
    ];
    for (name, event, reason) in events {
        let mut world = World::new(&network());
        let session = world.open(1, "alice", 100);
        world.open(2, "alice", 100);
        world.open(3, "bob", 1000);
        world.control.check_session(&session, world.time()).unwrap();
        let consequences = event(&mut world);
        let ended = BTreeMap::from([(ChannelId(1), reason), (ChannelId(2), reason)]);
        assert_eq!(consequences.ended, ended, "{name}");
        let refused = world.authenticate(&session.token, "alice");
        // Of one that was deleted, nothing is left by which it could be told from one to come.
        assert!(
            refused.is_err() || reason == EndReason::IdentityDeleted,
            "{name}"
        );
        let late = world.control.check_session(&session, world.time());
        assert!(
            late.is_err() || reason == EndReason::IdentityDeleted,
            "{name}"
        );
        assert!(world.pass(0).ended.is_empty(), "{name}: once is enough");
    }
    // Tokens that were issued later are not meant.
    let mut world = World::new(&network());
    world.open(1, "alice", 100);
    let earlier = world.change(vec![revocation("alice", "IDENTITY", Some(START - 1))]);
    assert!(earlier.ended.is_empty());
}

#[test]
fn sessions_may_be_faster_than_the_model() {
    let mut world = World::new(&network());
    world.open(1, "carol", 100);
    let unrelated = vec![creation(Subject::Identity(Box::new(identity("dave"))))];
    assert!(world.change(unrelated).ended.is_empty());
    let carol = || Subject::Identity(Box::new(identity("carol")));
    assert!(world.change(vec![creation(carol())]).ended.is_empty());
    let ended = world.change(vec![deletion(carol())]).ended;
    assert_eq!(ended, [(ChannelId(1), EndReason::IdentityDeleted)].into());
}

#[test]
fn a_newer_token_moves_the_end() {
    let mut world = World::new(&network());
    let session = world.open(1, "alice", 100);
    world.now += 50;
    let claims = access_claims("alice", world.now, world.now + 100);
    let token = sign(KEY, &claims);
    let renewed = world.control.renew(&session, &token, world.time()).unwrap();
    world.control.renewed(&renewed);
    assert_eq!(renewed.expires_at, Some(second(START + 150)));
    assert!(world.pass(99).ended.is_empty());
    // The old one does not bring the end back.
    world.control.renewed(&session);
    assert_eq!(world.pass(1).ended.len(), 1);
}

#[test]
fn a_session_for_a_service_takes_along_what_it_was_for() {
    let mut world = World::new(&network());
    let session = world.open_legacy(1, "bob");
    let for_mail = world.service_session(&session, ("mail", "Dial")).unwrap();
    assert_eq!(
        (for_mail.service.as_str(), for_mail.grant),
        ("mail", ServiceGrant::Dial)
    );
    let usage = circuit(1, ServiceGrant::Dial, "c");
    let used = UsedService {
        service: for_mail.service.clone(),
        session: Some(for_mail.id.clone()),
    };
    // Policies say nothing of it: the controller has judged.
    let now = world.time();
    let another = circuit(1, ServiceGrant::Dial, "another");
    for usage in [&usage, &another] {
        world
            .control
            .begin(usage.clone(), used.clone(), now)
            .unwrap();
    }
    assert!(lost(&world.change(Vec::new())).is_empty());
    let removed = SessionsRemoved {
        tokens: vec![],
        ids: vec![for_mail.id.as_str().to_owned()],
    };
    let consequences = world.receive(ControlMessage::SessionsRemoved(removed));
    let both = [usage.clone(), another];
    assert_eq!(
        consequences.lost,
        both.map(|usage| (usage, LossReason::SessionRemoved)).into()
    );
    // The channel is told once, however much it carried.
    let told = consequences.ended_service_sessions();
    assert_eq!(told, [usage.channel].into());
    // Nor may what was asked for before it was removed begin after it, though its token is good for long.
    let late = world.control.begin(usage, used, now).unwrap_err();
    assert_eq!(late.code(), Some(ErrorCode::InvalidSession));
    let again = world
        .service_session(&session, ("mail", "Dial"))
        .unwrap_err();
    assert_eq!(again.code(), Some(ErrorCode::InvalidSession));
}

#[test]
fn a_model_that_differs_is_told_and_mended() {
    let mut world = World::new(&network());
    world.open(1, "alice", 1000);
    let question = |truth: &Truth, fixes| ValidateDataState {
        state: Some(State {
            events: creations(truth),
            end_index: 90,
            timeline_id: "timeline".to_owned(),
            ..State::default()
        }),
        fixes,
    };
    let (answer, _) = world
        .control
        .validate(question(&network(), true), second(START));
    assert!(answer.differences.is_empty() && answer.original_counts["identity"] == 2);
    assert_ne!(world.control.replica().position().0, 90);

    let mut expected = network();
    expected.remove(&key(Kind::Identity, "alice"));
    insert(&mut expected, Entity::Service(service("chat")));
    let renamed = Service {
        name: "another".to_owned(),
        ..service("mail")
    };
    insert(&mut expected, Entity::Service(renamed));
    let (answer, unchanged) = world
        .control
        .validate(question(&expected, false), second(START));
    let differences: Vec<_> = answer
        .differences
        .iter()
        .map(|diff| (&*diff.entity_type, &*diff.entity_id, &*diff.kind))
        .collect();
    let told = [
        ("service", "chat", "missing"),
        ("identity", "alice", "extra"),
        ("service", "mail", "different"),
    ];
    assert_eq!(differences, told);
    assert_eq!(answer.copy_counts["service"], 3);
    assert_eq!(unchanged, Consequences::default());
    let (_, mended) = world
        .control
        .validate(question(&expected, true), second(START));
    assert_eq!(
        mended.ended,
        [(ChannelId(1), EndReason::IdentityDeleted)].into()
    );
    let (answer, _) = world
        .control
        .validate(question(&expected, true), second(START));
    assert!(answer.differences.is_empty());
}

/// A client in random histories, as the reference has it.
struct Reference {
    truth: Truth,
    machines: BTreeMap<u64, Machine>,
    usages: BTreeMap<Usage, String>,
}

impl Reference {
    /// What has lost its right by now.
    fn lost(&self, now: i64) -> BTreeSet<Usage> {
        let usages = self.usages.iter();
        usages
            .filter(|(usage, service)| !self.is_granted(usage, service, now))
            .map(|(usage, _)| usage.clone())
            .collect()
    }

    fn is_granted(&self, usage: &Usage, service: &str, now: i64) -> bool {
        let identity = format!("i{}", usage.channel.0 % COUNT);
        let grant = usage.grant;
        let machine = &self.machines[&usage.channel.0];
        let judgement = naive::judge(&self.truth, &identity, service, grant, machine, now);
        matches!(judgement, naive::Right::Granted { .. })
    }
}

/// The least events between two networks.
pub(crate) fn difference(before: &Truth, now: &Truth) -> Vec<Event> {
    let mut model = DataModel::default();
    model.apply(creations(before));
    let mut events = model.to_events();
    events.retain(|event| {
        let key = subject_key(event.subject.as_ref().unwrap());
        key.is_some_and(|key| {
            let changed_policy = key.kind == Kind::Policy && before.get(&key) != now.get(&key);
            !now.contains_key(&key) || changed_policy
        })
    });
    for event in &mut events {
        event.action = Action::Delete;
    }
    let changed: Truth = now
        .iter()
        .filter(|(key, entity)| before.get(*key) != Some(*entity))
        .map(|(key, entity)| (key.clone(), entity.clone()))
        .collect();
    events.extend(creations(&changed));
    events
}

#[test]
fn losses_are_those_that_reading_everything_finds() {
    let (mut losses, mut by_time) = (0, 0);
    let is_usual = for_seeds(80, |seed| {
        let mut random = Random::from_seed(seed);
        let mut reference = Reference {
            truth: Truth::new(),
            machines: BTreeMap::new(),
            usages: BTreeMap::new(),
        };
        for _ in 0..30 {
            change(&mut reference.truth, &mut random);
        }
        // Identities that are disabled or gone end channels, which other tests are about.
        let settle = |truth: &mut Truth| {
            for number in 0..COUNT {
                insert(
                    truth,
                    Entity::Identity(Box::new(identity(&format!("i{number}")))),
                );
            }
        };
        settle(&mut reference.truth);
        let mut world = World::new(&reference.truth);
        for channel in 0..COUNT {
            world.open(channel, &format!("i{channel}"), 1_000_000);
            reference.machines.insert(channel, Machine::default());
        }
        for step in 0..150 {
            let channel = random.below(COUNT);
            let mut consequences = Consequences::default();
            match random.below(6) {
                0 => {
                    let before = reference.truth.clone();
                    change(&mut reference.truth, &mut random);
                    settle(&mut reference.truth);
                    let events = difference(&before, &reference.truth);
                    consequences = world.change(events);
                },
                1 => {
                    let machine = reference.machines.get_mut(&channel).unwrap();
                    let said = random_report(&mut random, machine, &world, channel);
                    consequences = world.report(channel, vec![said]);
                },
                2 => {
                    let deadline = world.control.deadline().as_second();
                    let seconds = i64::try_from(random.below(700)).unwrap();
                    let before_deadline = (world.now + seconds).min(deadline - 1);
                    if before_deadline > world.now {
                        let early = reference.lost(before_deadline);
                        assert!(early.is_empty(), "lost before the deadline");
                    }
                    consequences = world.pass(seconds);
                    by_time += consequences.lost.len();
                },
                _ => {
                    let service = format!("s{}", random.below(COUNT));
                    let grant = [ServiceGrant::Dial, ServiceGrant::Bind][random.index(2)];
                    let usage = circuit(channel, grant, &format!("{step}"));
                    let granted = reference.is_granted(&usage, &service, world.now);
                    assert_eq!(
                        world.begin(&usage, &service).is_ok(),
                        granted,
                        "seed {seed}"
                    );
                    if granted {
                        reference.usages.insert(usage, service);
                    }
                },
            }
            world.messages();
            assert!(consequences.ended.is_empty());
            let named: BTreeSet<_> = consequences.lost.into_keys().collect();
            assert_eq!(named, reference.lost(world.now), "step {step}");
            losses += named.len();
            reference.usages.retain(|usage, _| !named.contains(usage));
        }
    });
    assert!(
        !is_usual || losses > 300 && by_time > 5,
        "{losses} losses, {by_time} by time"
    );
}

fn random_report(
    random: &mut Random,
    machine: &mut Machine,
    world: &World,
    channel: u64,
) -> Posture {
    match random.below(3) {
        0 => {
            let version = ["4.9.0", "5.0.0", "6.1.0"][random.index(3)].to_owned();
            let kind = ["linux", "Windows"][random.index(2)].to_owned();
            machine.system = Some((kind.clone(), version.clone()));
            Posture::OperatingSystem(Box::new(OperatingSystem {
                kind,
                version,
                build: String::new(),
            }))
        },
        1 => {
            let name = ["example.test", "other.test", "third.test"][random.index(3)].to_owned();
            machine.domain = Some(name.clone());
            Posture::Domain(Box::new(Domain { name }))
        },
        _ => {
            machine.totp_passed_at = Some(world.now);
            totp(world, &format!("i{channel}"))
        },
    }
}
