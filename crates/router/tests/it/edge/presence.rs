//! Who is connected, and what controllers are told of it.

use portcullis_channel::hello::RejectClass;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_router::edge::{ChannelId, EdgeLimits, IdentityId, Presence, PresenceReports};
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_wire::control::connect_event::ConnectTime;

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn after(seconds: i64) -> Timestamp {
    START + SignedDuration::from_secs(seconds)
}

fn presence(limits: EdgeLimits) -> Presence {
    Presence::new(limits, Some(PresenceReports::default()), START)
}

fn enter(presence: &mut Presence, channel: u64, identity: &str) -> Result<(), RejectClass> {
    let connection = ConnectTime {
        time_millis: i64::try_from(channel).unwrap(),
        ..ConnectTime::default()
    };
    let identity = IdentityId::from(identity);
    let entered = presence.enter(ChannelId(channel), &identity, connection);
    entered.map_err(|denial| denial.class)
}

/// An identity with its connections.
type Told = (String, Vec<i64>);

/// What is reported at a time, and whether it is everything.
fn report(presence: &mut Presence, now: Timestamp) -> Option<(bool, Vec<Told>)> {
    let events = presence.report(now)?;
    let identities = events.events.into_iter().map(|event| {
        assert_eq!(event.is_connected, !event.connections.is_empty());
        let times = event.connections.iter().map(|one| one.time_millis);
        (event.identity_id, times.collect())
    });
    Some((events.is_full_state, identities.collect()))
}

fn of(identity: &str, times: &[i64]) -> Told {
    (identity.to_owned(), times.to_vec())
}

#[test]
fn channels_are_bounded_in_all_and_for_each_identity() {
    let mut presence = presence(EdgeLimits {
        channels: 3,
        channels_per_identity: 2,
        ..EdgeLimits::default()
    });
    enter(&mut presence, 1, "alice").unwrap();
    enter(&mut presence, 2, "alice").unwrap();
    assert_eq!(enter(&mut presence, 3, "alice"), Err(RejectClass::Busy));
    enter(&mut presence, 4, "bob").unwrap();
    assert_eq!(enter(&mut presence, 5, "carol"), Err(RejectClass::Busy));
    presence.leave(ChannelId(1));
    presence.leave(ChannelId(1));
    enter(&mut presence, 6, "carol").unwrap();
    assert_eq!(presence.len(), 3);
}

#[test]
fn first_report_is_everything_then_news_every_three_seconds() {
    let mut presence = presence(EdgeLimits::default());
    enter(&mut presence, 1, "alice").unwrap();
    let full = report(&mut presence, START).unwrap();
    assert_eq!(full, (true, vec![of("alice", &[1])]));

    enter(&mut presence, 2, "alice").unwrap();
    enter(&mut presence, 3, "bob").unwrap();
    assert_eq!(report(&mut presence, after(2)), None);
    let news = report(&mut presence, after(3)).unwrap();
    assert_eq!(news, (false, vec![of("alice", &[2]), of("bob", &[3])]));

    presence.leave(ChannelId(3));
    presence.leave(ChannelId(2));
    let news = report(&mut presence, after(6)).unwrap();
    assert_eq!(news, (false, vec![of("bob", &[])]), "alice has another one");
    assert_eq!(report(&mut presence, after(9)), None, "no news");
    assert_eq!(presence.deadline(), Some(after(300)));
    let full = report(&mut presence, after(300)).unwrap();
    assert_eq!(full, (true, vec![of("alice", &[1])]));
}

#[test]
fn controller_that_connects_is_told_everything() {
    let mut presence = presence(EdgeLimits::default());
    enter(&mut presence, 1, "alice").unwrap();
    report(&mut presence, START).unwrap();
    presence.controller_connected(after(10));
    let full = report(&mut presence, after(10)).unwrap();
    assert_eq!(full, (true, vec![of("alice", &[1])]));
}

#[test]
fn section_says_how_often_controllers_are_told() {
    let reports = |section: &str| {
        let file = format!("connectEvents: {section}\n");
        let file = SourceFile::new("router.yml", file.as_bytes());
        let config = load(&file, &CheckOptions::new()).config;
        PresenceReports::from_config(&config.connect_events).unwrap()
    };
    assert_eq!(reports("{}"), Some(PresenceReports::default()));
    assert_eq!(reports("{enabled: false}"), None);
    let given = reports("{batchInterval: 1s, fullSyncInterval: 7s}");
    let mut presence = Presence::new(EdgeLimits::default(), given, START);
    enter(&mut presence, 1, "alice").unwrap();
    report(&mut presence, START).unwrap();
    enter(&mut presence, 2, "alice").unwrap();
    assert_eq!(presence.deadline(), Some(after(1)));
    report(&mut presence, after(1)).unwrap();
    assert_eq!(presence.deadline(), Some(after(7)));
}

#[test]
fn controllers_are_told_nothing_if_that_is_turned_off() {
    let mut presence = Presence::new(EdgeLimits::default(), None, START);
    enter(&mut presence, 1, "alice").unwrap();
    presence.controller_connected(after(1));
    assert_eq!(report(&mut presence, after(1_000)), None);
    assert_eq!(presence.deadline(), None);
    assert_eq!(presence.len(), 1);
}
