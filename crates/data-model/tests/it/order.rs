//! The order of events, and the bytes of a change set.

use crate::support::{
    config, config_type, identity, key, policy, posture_check, public_key, revocation, router,
    service,
};
use portcullis_data_model::{Change, DataModel, Entity, Kind, Moment, Options, Policy, Update};
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
    let start = ("timeline".to_owned(), index);
    DataModel::new(Options::default(), start, entities, [public_key("kid")])
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
    let state = state.to_message();
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
            "config link (synthetic)",
            "router other",
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
    let mut model = DataModel::new(Options::default(), ("timeline".to_owned(), 10), [], []);
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
    model.written(router);
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
    while let Some((router, Update::State { state, .. })) = model.poll_update(Moment::ZERO) {
        states.push(state);
        model.written(router);
    }
    // Paris has a configuration of its own.
    let [paris, london, tokyo] = states.as_slice() else {
        panic!("{states:?}");
    };
    assert!(Arc::ptr_eq(&london.shared, &tokyo.shared));
    assert!(Arc::ptr_eq(&paris.shared, &tokyo.shared));
    assert_eq!(describe(&paris.own), ["config link (synthetic)"]);
    assert!(london.own.is_empty());

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
    assert!(
        matches!(poll(&mut model), Some(Update::State { state, .. }) if state.to_message().end_index == 21)
    );
}

#[test]
fn whoever_asks_all_the_time_gets_a_state_now_and_then_and_the_same_one() {
    let seconds = |seconds: u64| Moment::from_micros(seconds * 1_000_000);
    let mut model = model(20, network());
    // It is in nobody's favour to connect anew.
    let mut paris = model.connect("paris".to_owned(), Moment::ZERO);
    let mut states = Vec::new();
    for tenth in 0..100 {
        let now = Moment::from_micros(tenth * 100_000);
        for number in 0..10 {
            let request = Subscription {
                subscription_id: format!("{tenth}-{number}"),
                ..subscription(0)
            };
            model.subscribe(paris, &request, now);
            while let Some((_, update)) = model.poll_update(now) {
                if let Update::State { state, .. } = update {
                    states.push(state);
                }
                model.written(paris);
            }
        }
        if tenth % 7 == 6 {
            model.disconnect(paris);
            paris = model.connect("paris".to_owned(), now);
        }
    }
    assert_eq!(states.len(), 5, "one in two seconds");
    for state in &states {
        assert!(Arc::ptr_eq(&state.shared, &states[0].shared));
    }
    // It has asked once more since the last one.
    model.subscribe(paris, &subscription(0), seconds(9));
    assert_eq!(model.poll_timeout(seconds(9)), Some(seconds(10)));
    assert_eq!(model.poll_update(seconds(9)), None);
    let update = model.poll_update(seconds(10));
    assert!(matches!(update, Some((_, Update::State { .. }))));
}

#[test]
fn a_state_is_on_its_way_alone() {
    let mut model = model(20, network());
    let paris = model.connect("paris".to_owned(), Moment::ZERO);
    model.subscribe(paris, &subscription(20), Moment::ZERO);
    assert!(
        matches!(poll(&mut model), Some(Update::Changes { changes, .. }) if changes.is_synthetic)
    );
    model.subscribe(paris, &subscription(0), Moment::ZERO);
    assert_eq!(poll(&mut model), None, "something else is on its way");
    model.written(paris);
    assert!(matches!(poll(&mut model), Some(Update::State { .. })));
    for index in 21..40 {
        let name = format!("mail {index}");
        let mail = [Change::Set(service("mail", &name))];
        assert_eq!(model.commit(index, mail), Ok(true));
    }
    assert_eq!(poll(&mut model), None, "the state is on its way");
    model.written(paris);
    let credit = Options::default().credit;
    for _ in 0..credit {
        assert!(matches!(poll(&mut model), Some(Update::Changes { .. })));
    }
    assert_eq!(poll(&mut model), None);
}

#[test]
fn a_model_goes_on_where_one_with_the_same_content_was() {
    let before = model(20, network());
    let mut kept = before.position();
    kept.key_ids.insert("gone".to_owned());
    let start = |entities| {
        let start = ("another".to_owned(), 7);
        DataModel::new(Options::default(), start, entities, [public_key("kid")])
    };
    let mut reversed = network();
    reversed.reverse();
    let mut resumed = start(reversed);
    assert!(resumed.resume(kept.clone()));
    assert_eq!(resumed.position(), kept);
    let paris = resumed.connect("paris".to_owned(), Moment::ZERO);
    resumed.subscribe(paris, &subscription(20), Moment::ZERO);
    let Some(Update::Changes { changes, .. }) = poll(&mut resumed) else {
        panic!("it is up to date");
    };
    assert_eq!(
        describe(&changes.events),
        ["key kid (synthetic)", "delete key gone (synthetic)"]
    );
    assert_eq!(poll(&mut resumed), None);

    let others: [fn(&mut Vec<Entity>); 3] = [
        |entities| entities.push(service("mail", "mail")),
        |entities| drop(entities.remove(0)),
        |entities| entities[1] = Entity::Policy(policy("policy", [&["wiki"], &["os"], &[]])),
    ];
    for change in others {
        let mut entities = network();
        change(&mut entities);
        let mut other = start(entities);
        assert!(!other.resume(kept.clone()));
        assert_eq!(other.position().timeline_id, "another");
    }
}
