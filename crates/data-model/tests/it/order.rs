//! The order of events, and the bytes of a change set.

use crate::support::{
    config, config_type, identity, key, policy, posture_check, public_key, revocation, router,
    service,
};
use portcullis_data_model::{
    Change, DataModel, Entity, Kind, Moment, Options, Policy, Position, Update,
};
use portcullis_wire::Content as _;
use portcullis_wire::control::data_model::{Action, ChangeSet, Event, Subject, Subscription};
use std::collections::BTreeMap;
use std::sync::Arc;

const SUBSCRIPTION: &str = "oW0zQhR4R";

fn subscription(current_index: u64) -> Subscription {
    Subscription {
        current_index,
        duration_seconds: 300,
        timeline_id: "timeline".to_owned(),
        subscription_id: SUBSCRIPTION.to_owned(),
        ..Subscription::default()
    }
}

fn model(index: u64, entities: Vec<Entity>) -> DataModel {
    let position = Position {
        index,
        ..Position::start("timeline".to_owned())
    };
    DataModel::new(Options::default(), position, entities, [public_key("kid")])
}

fn poll(model: &mut DataModel) -> Option<Update> {
    model.poll_update(Moment::ZERO).map(|(_, update)| update)
}

/// The entities of a small network, in no order.
fn network() -> Vec<Entity> {
    vec![
        revocation("token"),
        Entity::Policy(policy("policy", [&["wiki"], &["os"], &["alice"]])),
        posture_check("os", "os"),
        router("other", "other", ["link".to_owned()]),
        router("paris", "paris", ["link".to_owned()]),
        service("wiki", "wiki"),
        identity("alice", "alice"),
        config("link", "router.link.v1", "link"),
        config("host", "host.v1", "host"),
        config_type("router.link.v1", "router"),
        config_type("host.v1", "service"),
    ]
}

fn describe(events: &[Event]) -> Vec<String> {
    let describe = |event: &Event| {
        let subject = match event.subject.as_ref().unwrap() {
            Subject::ConfigType(entity) => format!("type {}", entity.id),
            Subject::Config(entity) => format!("config {}", entity.id),
            Subject::Identity(entity) => format!("identity {}", entity.id),
            Subject::Service(entity) => format!("service {}", entity.id),
            Subject::Router(entity) => format!("router {}", entity.id),
            Subject::PostureCheck(entity) => format!("check {}", entity.id),
            Subject::ServicePolicy(entity) => format!("policy {}", entity.id),
            Subject::ServicePolicyChange(entity) => format!(
                "{} {} {:?}",
                entity.policy_id,
                if entity.adds { "+" } else { "-" },
                entity.entity_ids
            ),
            Subject::PublicKey(entity) => format!("key {}", entity.key_id),
            Subject::Revocation(entity) => format!("revocation {}", entity.id),
        };
        let action = match event.action {
            Action::Update => "update ",
            Action::Delete => "delete ",
            _ => "",
        };
        let mark = if event.is_synthetic {
            " (synthetic)"
        } else {
            ""
        };
        format!("{action}{subject}{mark}")
    };
    events.iter().map(describe).collect()
}

#[test]
fn a_full_state_names_nothing_before_it_is_there() {
    let mut model = model(20, network());
    let paris = model.connect("paris".to_owned(), Moment::ZERO);
    model.subscribe(paris, &subscription(0), Moment::ZERO);
    let Some(Update::State {
        state,
        subscription_id,
    }) = poll(&mut model)
    else {
        panic!("no state");
    };
    assert_eq!(subscription_id, SUBSCRIPTION);
    assert_eq!(
        (state.end_index, state.timeline_id.as_str()),
        (20, "timeline")
    );
    assert_eq!(
        describe(&state.events),
        [
            "type host.v1",
            "type router.link.v1",
            "config host",
            "identity alice",
            "service wiki",
            "router other",
            "config link (synthetic)",
            "router paris",
            "check os",
            "policy policy",
            "policy + [\"wiki\"]",
            "policy + [\"os\"]",
            "policy + [\"alice\"]",
            "key kid (synthetic)",
            "revocation token",
        ]
    );
    assert_eq!(poll(&mut model), None);
}

#[test]
fn a_change_set_has_only_what_changed() {
    let mut model = model(20, network());
    let tokyo = model.connect("tokyo".to_owned(), Moment::ZERO);
    model.subscribe(tokyo, &subscription(20), Moment::ZERO);
    assert!(
        matches!(poll(&mut model), Some(Update::Changes { changes, .. }) if changes.is_synthetic)
    );

    let changes = [
        Change::Removed(key(Kind::Service, "wiki")),
        Change::Set(service("mail", "mail")),
        Change::Set(identity("alice", "alice")), // Only written.
        Change::Set(Entity::Policy(Policy {
            name: "policy".to_owned(),
            ..policy("policy", [&["mail"], &["os"], &["alice"]])
        })),
    ];
    assert_eq!(model.commit(25, changes), Ok(true));
    // Of a change that this router may not see, the place in the chain is left.
    let hidden = [Change::Set(config("link", "router.link.v1", "other name"))];
    assert_eq!(model.commit(27, hidden), Ok(true));
    let nothing = [Change::Set(service("mail", "mail"))];
    assert_eq!(model.commit(30, nothing), Ok(false));

    let Some(Update::Changes { changes, .. }) = poll(&mut model) else {
        panic!("no change set");
    };
    assert_eq!((changes.previous_index, changes.index), (20, 25));
    assert_eq!(
        describe(&changes.events),
        [
            "policy - [\"wiki\"]",
            "service mail",
            "policy + [\"mail\"]",
            "delete service wiki",
        ]
    );
    let Some(Update::Changes { changes, .. }) = poll(&mut model) else {
        panic!("no change set");
    };
    assert_eq!((changes.previous_index, changes.index), (25, 27));
    assert!(changes.events.is_empty());
    assert_eq!(poll(&mut model), None);
}

#[test]
fn only_routers_that_list_a_configuration_see_it() {
    let mut model = model(20, network());
    let sessions = ["paris", "other"].map(|id| {
        let session = model.connect(id.to_owned(), Moment::ZERO);
        model.subscribe(session, &subscription(20), Moment::ZERO);
        session
    });
    let renamed = config("link", "router.link.v1", "other name");
    let second = config("second", "router.link.v1", "second");
    let lists = |configs: [&str; 1]| router("paris", "paris", configs.map(str::to_owned));
    let commits = [
        vec![Change::Set(renamed)],
        vec![Change::Set(second), Change::Set(lists(["second"]))],
        vec![Change::Removed(key(Kind::Config, "link"))],
    ];
    for (index, changes) in (21..).zip(commits) {
        assert_eq!(model.commit(index, changes), Ok(true));
    }
    let mut events = BTreeMap::<_, Vec<_>>::new();
    while let Some((session, update)) = model.poll_update(Moment::ZERO) {
        match update {
            Update::Changes { changes, .. } if changes.is_synthetic => {},
            Update::Changes { changes, .. } => {
                events
                    .entry(session)
                    .or_default()
                    .push(describe(&changes.events));
            },
            other => panic!("{other:?}"),
        }
    }
    let dropped = "delete config link (synthetic)";
    let paris: [&[&str]; 3] = [
        &["update config link"],
        &["config second (synthetic)", "update router paris", dropped],
        &[],
    ];
    let other: [&[&str]; 3] = [
        &["update config link"],
        &["update router paris"],
        &["delete config link"],
    ];
    for (session, expected) in sessions.iter().zip([paris, other]) {
        assert_eq!(events[session], expected);
    }
}

#[test]
fn a_change_set_has_the_bytes_that_were_observed() {
    let mut model = DataModel::new(
        Options::default(),
        Position {
            index: 10,
            ..Position::start("timeline".to_owned())
        },
        [],
        [],
    );
    let router = model.connect("router".to_owned(), Moment::ZERO);
    model.subscribe(router, &subscription(10), Moment::ZERO);
    let host = [Change::Set(identity("BZ202gOxO", "host"))];
    assert_eq!(model.commit(11, host), Ok(true));
    let Some(Update::Changes {
        changes,
        subscription_id,
    }) = poll(&mut model)
    else {
        panic!("no change set");
    };
    assert_eq!(subscription_id.as_deref(), Some(SUBSCRIPTION));
    let set = ChangeSet {
        changes: (*changes).clone(),
        subscription_id,
    };
    let (_, body) = set.encode().unwrap();
    let observed = b"\x08\x0b\x1a\x13\x52\x11\x0a\x09BZ202gOxO\x12\x04host\x28\x0a";
    assert_eq!(body.as_ref(), observed);
}

#[test]
fn models_of_elsewhere_are_replaced() {
    let elsewhere = Subscription {
        timeline_id: "another".to_owned(),
        ..subscription(20)
    };
    for request in [
        elsewhere,
        subscription(19),
        subscription(21),
        subscription(0),
    ] {
        let mut model = model(20, network());
        let router = model.connect("paris".to_owned(), Moment::ZERO);
        model.subscribe(router, &request, Moment::ZERO);
        assert!(
            matches!(poll(&mut model), Some(Update::State { .. })),
            "{request:?}"
        );
    }
}

#[test]
fn a_subscription_ends_when_it_is_not_renewed() {
    let second = |seconds: u64| Moment::from_micros(seconds * 1_000_000);
    let mut model = model(20, network());
    let router = model.connect("paris".to_owned(), Moment::ZERO);
    model.subscribe(router, &subscription(0), Moment::ZERO);
    assert!(model.poll_update(second(0)).is_some());
    let renewal = Subscription {
        is_renewal: true,
        ..subscription(20)
    };
    model.subscribe(router, &renewal, second(290));
    let mail = [Change::Set(service("mail", "mail"))];
    assert_eq!(model.commit(21, mail), Ok(true));
    let update = model.poll_update(second(589));
    assert!(
        matches!(update, Some((_, Update::Changes { .. }))),
        "{update:?}"
    );

    let chat = [Change::Set(service("chat", "chat"))];
    assert_eq!(model.commit(22, chat), Ok(true));
    // It is only told that there is more.
    let update = model.poll_update(second(590));
    assert!(matches!(update, Some((_, Update::Index(index))) if index.index == 22));
    assert_eq!(model.poll_update(second(900)), None);
}

#[test]
fn what_is_the_same_for_several_routers_is_shared() {
    let mut model = model(20, network());
    for router in ["paris", "london", "tokyo"] {
        let session = model.connect(router.to_owned(), Moment::ZERO);
        model.subscribe(session, &subscription(0), Moment::ZERO);
    }
    let mut states = Vec::new();
    while let Some(Update::State { state, .. }) = poll(&mut model) {
        states.push(state);
    }
    // Paris has a configuration of its own.
    let [paris, london, tokyo] = states.as_slice() else {
        panic!("{states:?}");
    };
    assert!(Arc::ptr_eq(london, tokyo));
    assert_eq!(paris.events.len(), london.events.len() + 1);

    let mail = [Change::Set(service("mail", "mail"))];
    assert_eq!(model.commit(21, mail), Ok(true));
    let mut sets = Vec::new();
    while let Some(Update::Changes { changes, .. }) = poll(&mut model) {
        sets.push(changes);
    }
    assert_eq!(sets.len(), 3);
    assert!(sets.iter().all(|set| Arc::ptr_eq(set, &sets[0])));

    // A state of before is not sent again.
    let late = model.connect("late".to_owned(), Moment::ZERO);
    model.subscribe(late, &subscription(0), Moment::ZERO);
    assert!(matches!(poll(&mut model), Some(Update::State { state, .. }) if state.end_index == 21));
}
