//! Sessions that controllers announce: full states in parts, news, heartbeats.

use super::judging::second;
use super::network::Truth;
use super::world::{START, World, circuit, controller};
use portcullis_data_model::session_sync::{SyncIds, full_state};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::access::{EndReason, LegacySessions, UsedService};
use portcullis_router::edge::{Access as _, ChannelId, ControllerId};
use portcullis_seeded_random::Random;
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::session::{
    ApiSession, ApiSessions, ApiSessionsAdded, ApiSessionsRemoved, ApiSessionsUpdated, INSTANT,
    UpdatedApiSessions,
};
use std::collections::{BTreeMap, VecDeque};

fn session(id: u64, fingerprint: u64) -> ApiSession {
    ApiSession {
        token: token(id),
        fingerprints: vec![fingerprint.to_string()],
        id: format!("id of {id}"),
        identity_id: "alice".to_owned(),
    }
}

fn token(id: u64) -> Token {
    Token::new(format!("token of {id}"))
}

fn part(id: &str, sequence: u64, is_last: bool, sessions: &[u64]) -> ApiSessionsAdded {
    ApiSessionsAdded {
        sessions: ApiSessions {
            is_full_state: true,
            sessions: sessions.iter().map(|id| session(*id, 0)).collect(),
        },
        sync_type: INSTANT.to_owned(),
        sync_state: format!(r#"{{"id":"{id}","isLast":{is_last},"sequence":{sequence}}}"#),
    }
}

fn news(id: &str, session: ApiSession) -> ApiSessionsAdded {
    ApiSessionsAdded {
        sessions: ApiSessions {
            is_full_state: false,
            sessions: vec![session],
        },
        sync_type: INSTANT.to_owned(),
        sync_state: format!(r#"{{"id":"{id}","isLast":true,"sequence":0}}"#),
    }
}

fn removed(id: u64) -> ApiSessionsRemoved {
    ApiSessionsRemoved {
        tokens: vec![token(id)],
        ids: vec![],
    }
}

struct Table {
    sessions: LegacySessions,
    now: Timestamp,
}

impl Table {
    fn new() -> Self {
        let mut sessions = LegacySessions::default();
        sessions.connect(&controller());
        Self {
            sessions,
            now: second(START),
        }
    }

    fn add(&mut self, message: ApiSessionsAdded) -> usize {
        self.sessions.add(&controller(), message, self.now).len()
    }

    fn has(&self, ids: &[u64]) -> bool {
        self.sessions.len() == ids.len()
            && ids
                .iter()
                .all(|id| self.sessions.find(&token(*id)).is_some())
    }
}

#[test]
fn a_state_is_complete_when_all_its_parts_are_here() {
    let mut table = Table::new();
    table.add(part("b", 0, true, &[1, 2, 3]));
    // In any order; what is not in it goes when it is complete, and not before.
    assert_eq!(table.add(part("c", 2, true, &[4])), 0);
    assert_eq!(table.add(part("c", 0, false, &[5])), 0);
    assert!(table.has(&[1, 2, 3, 4, 5]));
    assert_eq!(table.add(part("c", 1, false, &[3])), 2);
    assert!(table.has(&[3, 4, 5]));
    // An older one does not count any more.
    assert_eq!(table.add(part("a", 0, true, &[1])), 0);
    assert!(table.has(&[3, 4, 5]));
    // A newer one takes the place of one that is not complete.
    table.add(part("d", 0, false, &[3]));
    assert_eq!(table.add(part("e", 0, true, &[])), 3);
    assert!(table.sessions.is_empty());
}

#[test]
fn news_outlive_the_state_that_does_not_have_them() {
    let mut table = Table::new();
    table.add(part("b", 0, false, &[1, 2]));
    table.add(news("c", session(7, 0)));
    let updated = ApiSessionsUpdated {
        sessions: UpdatedApiSessions {
            sessions: vec![session(8, 1)],
        },
        sync_type: INSTANT.to_owned(),
        sync_state: String::new(),
    };
    table.sessions.update(&controller(), updated);
    assert_eq!(table.sessions.remove(&controller(), &removed(3)).len(), 0);
    assert_eq!(table.sessions.remove(&controller(), &removed(2)).len(), 1);
    // The rest of the state still has what has ended.
    table.add(part("b", 1, true, &[2, 3, 4]));
    assert!(table.has(&[1, 4, 7, 8]));
    // The next one decides about all that is older.
    table.add(part("d", 0, true, &[8]));
    assert!(table.has(&[8]));
    // Without a state, it is news all the same.
    let mut stateless = news("", session(9, 0));
    stateless.sync_state = "no JSON".to_owned();
    table.add(stateless);
    assert!(table.has(&[8, 9]));
}

#[test]
fn what_does_not_get_complete_is_asked_for_again() {
    let mut table = Table::new();
    table.add(part("b", 0, false, &[1]));
    assert_eq!(table.sessions.deadline(), Some(second(START + 20)));
    assert_eq!(table.sessions.poll(second(START + 19)), None);
    let (to, _) = table.sessions.poll(second(START + 20)).unwrap();
    assert_eq!(to, controller());
    assert_eq!(table.sessions.poll(second(START + 99)), None);
    assert_eq!(table.sessions.deadline(), None);
    table.now = second(START + 21);
    table.add(part("c", 0, true, &[1]));
    assert!(table.has(&[1]));
}

#[test]
fn controllers_speak_for_their_own_sessions() {
    let mut table = Table::new();
    let other = ControllerId::from("c2");
    table.sessions.connect(&other);
    table.add(part("z", 0, true, &[1, 2]));
    let now = table.now;
    let gone = table.sessions.add(&other, part("zz", 0, true, &[3]), now);
    assert!(gone.is_empty() && table.has(&[1, 2, 3]));
    assert!(table.sessions.remove(&other, &removed(1)).is_empty());
    assert!(table.has(&[1, 2, 3]));
    // After a reconnect ids begin anew, perhaps below those of before.
    table.sessions.disconnect(&controller());
    assert!(table.has(&[1, 2, 3]));
    table.sessions.connect(&controller());
    assert_eq!(table.add(part("a", 0, true, &[2])), 1);
    assert!(table.has(&[2, 3]));
}

#[test]
fn clients_of_removed_sessions_end() {
    let mut world = World::new(&Truth::new());
    let session = world.open_legacy(1, "alice");
    world.open_legacy(2, "bob");
    let check = |world: &World| world.control.check_session(&session, world.time());
    check(&world).unwrap();
    let gone = world.receive(ControlMessage::ApiSessionsRemoved(ApiSessionsRemoved {
        tokens: vec![Token::new("uuid of alice".to_owned())],
        ids: vec!["session of alice".to_owned()],
    }));
    assert_eq!(
        gone.ended,
        [(ChannelId(1), EndReason::SessionRemoved)].into()
    );
    check(&world).unwrap_err();
    let gone = world.receive(ControlMessage::ApiSessionsAdded(part("b", 0, true, &[])));
    assert_eq!(
        gone.ended,
        [(ChannelId(2), EndReason::SessionRemoved)].into()
    );
    assert!(world.control.legacy_sessions().is_empty());
}

#[test]
fn controllers_hear_of_the_sessions_that_are_in_use() {
    let mut world = World::new(&Truth::new());
    let session = world.open_legacy(1, "alice");
    world.open_legacy(2, "bob");
    world.open(3, "carol", 1000);
    world.control.close(ChannelId(2), second(START));
    let right = world.service_session(&session, ("wiki", "Dial")).unwrap();
    let used = UsedService {
        service: right.service,
        session: Some(right.id),
    };
    let now = world.time();
    let usage = circuit(1, ServiceGrant::Dial, "c");
    world.control.begin(usage, used, now).unwrap();

    let _ = world.pass(59);
    assert_eq!(world.messages(), []);
    let _ = world.pass(1);
    let is_heartbeat = |message: &ControlMessage| match message {
        ControlMessage::ApiSessionHeartbeat(heartbeat) => {
            heartbeat.tokens == [Token::new("uuid of alice".to_owned())]
        },
        _ => false,
    };
    let messages = world.messages();
    assert!(matches!(&messages[..], [(to, told)] if *to == controller() && is_heartbeat(told)));

    // Nobody hears anything while the controller is away; then it is asked at once.
    world.control.disconnect_controller(&controller(), now);
    let _ = world.pass(120);
    assert_eq!(world.messages(), []);
    let now = world.time();
    world.control.connect_controller(&controller(), now);
    let messages = world.messages();
    let asked = messages.iter().any(|(_, message)| match message {
        ControlMessage::ValidateSessions(question) => {
            question.session_tokens == [Token::new("alice Dial wiki".to_owned())]
        },
        _ => false,
    });
    assert!(asked && messages.iter().any(|(_, message)| is_heartbeat(message)));
}

/// What a controller sends in random histories, some of which is lost.
#[test]
fn tables_agree_with_their_controller_after_the_last_state() {
    for seed in 0..300 {
        let mut random = Random::from_seed(seed);
        let mut table = Table::new();
        let mut truth = BTreeMap::<u64, u64>::new();
        let mut ids = SyncIds::default();
        let mut queue = VecDeque::new();
        for step in 0..100 {
            let id = random.below(300);
            match random.below(8) {
                0 | 1 => {
                    truth.insert(id, step);
                    queue.push_back(ControlMessage::ApiSessionsAdded(news(
                        &ids.next(0),
                        session(id, step),
                    )));
                },
                2 if truth.remove(&id).is_some() => {
                    queue.push_back(ControlMessage::ApiSessionsRemoved(removed(id)));
                },
                3 => {
                    for number in 0..random.below(200) {
                        truth.insert(number, step);
                    }
                    queue.extend(state(&mut ids, &truth));
                },
                4 => {
                    queue.pop_front(); // Lost.
                },
                5 => {
                    table.sessions.disconnect(&controller());
                    table.sessions.connect(&controller());
                    queue.clear();
                },
                _ => {
                    for _ in 0..random.below(5) {
                        deliver(&mut table, queue.pop_front());
                    }
                },
            }
        }
        queue.extend(state(&mut ids, &truth));
        while let Some(message) = queue.pop_front() {
            deliver(&mut table, Some(message));
        }
        assert_eq!(table.sessions.len(), truth.len(), "seed {seed}");
        for (id, fingerprint) in &truth {
            let found = table.sessions.find(&token(*id)).unwrap();
            assert_eq!(found.fingerprints, [fingerprint.to_string()], "seed {seed}");
        }
        assert_eq!(table.sessions.deadline(), None);
    }
}

fn state(ids: &mut SyncIds, truth: &BTreeMap<u64, u64>) -> Vec<ControlMessage> {
    let sessions: Vec<_> = truth
        .iter()
        .map(|(id, fingerprint)| session(*id, *fingerprint))
        .collect();
    let parts = full_state(&ids.next(0), &sessions).into_iter();
    parts.map(ControlMessage::ApiSessionsAdded).collect()
}

fn deliver(table: &mut Table, message: Option<ControlMessage>) {
    match message {
        Some(ControlMessage::ApiSessionsAdded(added)) => {
            table.add(added);
        },
        Some(ControlMessage::ApiSessionsRemoved(removed)) => {
            table.sessions.remove(&controller(), &removed);
        },
        _ => {},
    }
}
