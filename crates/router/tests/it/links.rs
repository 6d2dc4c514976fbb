//! Links, event by event.

use std::sync::Arc;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_router::links::{
    Action, Admission, Announcement, ConnectionLayout, Dial, DialFailure, GroupNames, Link,
    LinkCloseReason, LinkId, LinkKey, LinkStatus, Links, Listener, RouterId, dialers,
};

use crate::world::{at, config};

/// Fills everything with one byte. With this one no factor is moved by more than a two-hundredth, a
/// sidestep is one second, and ids begin with `80`.
struct Middle;

impl Entropy for Middle {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(0x80);
        Ok(())
    }
}

/// A source that never delivers.
struct Empty;

impl Entropy for Empty {
    fn fill(&self, _: &mut [u8]) -> Result<(), EntropyError> {
        Err(EntropyError)
    }
}

const SECTION: &str = "link: {dialers: [{binding: transport, startupDelay: 0s, \
     healthyDialBackoff: {minRetryInterval: 5s, maxRetryInterval: 12s, retryBackoffFactor: 2}, \
     unhealthyDialBackoff: {minRetryInterval: 1m, maxRetryInterval: 1h, retryBackoffFactor: 10}}]}";

fn links(section: &str) -> Links {
    let dialers = dialers(&config(section).link).expect("usable");
    Links::new(dialers, Arc::new(Middle), at(0))
}

fn r2() -> RouterId {
    RouterId::from_wire("r2")
}

fn key() -> LinkKey {
    LinkKey::new(r2(), "tls", None, None)
}

fn listener(address: &str) -> Listener {
    Listener {
        address: address.to_owned(),
        protocol: "tls".to_owned(),
        interface: None,
        groups: GroupNames::default(),
    }
}

fn connect(links: &mut Links, listeners: &[Listener], now: Timestamp) {
    let announcement = Announcement {
        router: r2(),
        version: Some("v2.1.0".to_owned()),
        listeners: listeners.to_vec(),
    };
    links.router_connected(announcement, now);
}

/// The only thing to do is a dial.
fn the_dial(links: &mut Links, now: Timestamp) -> Dial {
    let mut actions = links.poll(now);
    assert_eq!(actions.len(), 1, "at {now}: {actions:?}");
    match actions.pop() {
        Some(Action::Dial(dial)) => dial,
        other => panic!("at {now}: {other:?}"),
    }
}

/// A router that is linked from the start; gives the link that was dialed.
fn linked(links: &mut Links) -> Link {
    connect(links, &[listener("tls:r2:1")], at(0));
    let ticket = the_dial(links, at(0)).ticket;
    let link = ticket.link().clone();
    assert_eq!(links.dial_succeeded(ticket, at(0)), Admission::Admitted);
    link
}

fn accepted(id: &str) -> Link {
    Link {
        id: LinkId::from_wire(id),
        iteration: 1,
    }
}

/// The instant of the next dial, to the tenth of a second: factors are moved a little.
fn waiting_until(links: &Links) -> i64 {
    match links.status(&key()) {
        Some(LinkStatus::Waiting(until)) => {
            (until.as_millisecond() - at(0).as_millisecond() + 50) / 100
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_router_that_connects_is_dialed_at_once() {
    let mut links = links(SECTION);
    assert_eq!(links.deadline(), None);
    connect(&mut links, &[listener("tls:r2:1")], at(500));
    assert_eq!(links.deadline(), Some(at(500)));
    let dial = the_dial(&mut links, at(500));
    assert_eq!(dial.ticket.key(), &key());
    assert_eq!(dial.ticket.address(), "tls:r2:1");
    assert_eq!(dial.ticket.link().iteration, 1);
    let several = ConnectionLayout::Multiple {
        data: 3,
        acknowledgments: 1,
    };
    assert_eq!(dial.connections, several);
    assert_eq!(links.status(&key()), Some(LinkStatus::Dialing));
    assert_eq!(links.deadline(), None);
    assert!(links.poll(at(100_000_000)).is_empty());
}

#[test]
fn the_first_dial_waits_for_the_startup_delay() {
    let mut links = links("link: {dialers: [{binding: transport, startupDelay: 4s}]}");
    connect(&mut links, &[listener("tls:r2:1")], at(1_000));
    assert!(links.poll(at(3_999)).is_empty());
    assert_eq!(links.deadline(), Some(at(4_000)));
    assert_eq!(links.poll(at(4_000)).len(), 1);
}

#[test]
fn pauses_grow_by_the_policy_that_holds() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let mut now = 0;
    // Healthy twice, then the router is lost to the controllers and comes back at last.
    for (lost, next) in [
        (false, 50),
        (false, 150),
        (true, 1_150),
        (true, 11_150),
        (true, 47_150),
    ] {
        let ticket = the_dial(&mut links, at(now)).ticket;
        if lost {
            links.router_disconnected(&r2(), at(now));
        }
        links.dial_failed(ticket, DialFailure::Failed, at(now));
        let until = waiting_until(&links);
        assert!((next - until).abs() <= next / 100, "{until}, not {next}");
        now = until * 100 + 100;
    }
    connect(&mut links, &[listener("tls:r2:1")], at(now));
    let ticket = the_dial(&mut links, at(now)).ticket;
    assert_eq!(ticket.link().iteration, 6);
    links.dial_failed(ticket, DialFailure::Failed, at(now));
    assert_eq!(
        waiting_until(&links),
        now / 100 + 50,
        "shortest pause again"
    );
}

#[test]
fn pauses_stop_growing() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let mut now = 0;
    for pause in [50, 100, 120, 120, 120] {
        let ticket = the_dial(&mut links, at(now)).ticket;
        links.dial_failed(ticket, DialFailure::Failed, at(now));
        let until = waiting_until(&links);
        assert!((until - now / 100 - pause).abs() <= 1, "{until}: {pause}");
        now = until * 100 + 100;
    }
}

#[test]
fn who_is_busy_is_dialed_after_the_shortest_pause_however_often_it_was_not_reached() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let mut now = 0;
    for (failure, pause) in [
        (DialFailure::Failed, 50),
        (DialFailure::Failed, 100),
        (DialFailure::Busy, 50),
        (DialFailure::Busy, 50),
        (DialFailure::Failed, 100),
    ] {
        let ticket = the_dial(&mut links, at(now)).ticket;
        links.dial_failed(ticket, failure, at(now));
        let until = waiting_until(&links);
        let waited = until - now / 100;
        let longest = if failure == DialFailure::Busy {
            pause * 3 / 2
        } else {
            pause
        };
        assert!(
            (pause - 1..=longest + 1).contains(&waited),
            "{waited}: {pause}"
        );
        now = until * 100 + 100;
    }
}

#[test]
fn a_duplicate_adds_seconds_to_the_pause() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let ticket = the_dial(&mut links, at(0)).ticket;
    links.dial_failed(ticket, DialFailure::Duplicate, at(0));
    assert_eq!(waiting_until(&links), 60);
}

#[test]
fn connecting_again_changes_nothing_for_who_was_connected() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let ticket = the_dial(&mut links, at(0)).ticket;
    links.dial_failed(ticket, DialFailure::Failed, at(0));
    connect(&mut links, &[listener("tls:r2:1")], at(1_000));
    assert_eq!(waiting_until(&links), 50);
    links.router_disconnected(&r2(), at(2_000));
    connect(&mut links, &[listener("tls:r2:1")], at(3_000));
    assert_eq!(waiting_until(&links), 30);
}

#[test]
fn a_link_that_closes_is_dialed_again_at_once() {
    let mut links = links(SECTION);
    let link = linked(&mut links);
    assert_eq!(links.status(&key()), Some(LinkStatus::Linked(link.clone())));
    links.link_closed(&key(), &link, at(60_000));
    let again = the_dial(&mut links, at(60_000)).ticket;
    assert_eq!((&again.link().id, again.link().iteration), (&link.id, 2));

    // A link that closes as soon as it is made waits for the shortest pause.
    let link = again.link().clone();
    assert_eq!(links.dial_succeeded(again, at(60_100)), Admission::Admitted);
    links.link_closed(&key(), &link, at(60_200));
    assert_eq!(waiting_until(&links), 650);
}

#[test]
fn how_often_a_link_was_open_is_counted() {
    let opened = |links: &Links| links.peers()[0].targets[0].opened;
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let dial = the_dial(&mut links, at(0));
    links.dial_failed(dial.ticket, DialFailure::Failed, at(0));
    assert_eq!(opened(&links), 0);
    let accepted = accepted("a1");
    assert_eq!(
        links.link_accepted(&key(), accepted.clone(), at(1_000)),
        Admission::Admitted
    );
    assert_eq!(opened(&links), 1);
    links.link_closed(&key(), &accepted, at(60_000));
    let dial = the_dial(&mut links, at(60_000));
    assert_eq!(
        links.dial_succeeded(dial.ticket, at(60_000)),
        Admission::Admitted
    );
    assert_eq!(opened(&links), 2);
}

#[test]
fn what_the_other_side_dialed_is_not_dialed() {
    let mut links = links(SECTION);
    let link = accepted("00");
    assert_eq!(
        links.link_accepted(&key(), link.clone(), at(0)),
        Admission::Admitted
    );
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    assert_eq!(links.peers()[0].targets[0].opened, 1);
    assert!(links.poll(at(0)).is_empty());
    assert_eq!(links.deadline(), None);
    links.link_closed(&key(), &link, at(7_000));
    assert_eq!(links.poll(at(7_000)).len(), 1);
}

#[test]
fn only_listeners_in_a_common_group_are_dialed() {
    let mut links =
        links("link: {dialers: [{binding: transport, groups: [a, b], startupDelay: 0s}]}");
    let mut shared = listener("tls:r2:1");
    shared.groups = GroupNames::new(["b", "c"]);
    let mut foreign = listener("wss:r2:2");
    foreign.protocol = "wss".to_owned();
    connect(&mut links, &[foreign, shared.clone()], at(0));
    let ticket = the_dial(&mut links, at(0)).ticket;
    assert_eq!(ticket.address(), "tls:r2:1");
    let link = ticket.link().clone();
    assert_eq!(links.dial_succeeded(ticket, at(0)), Admission::Admitted);

    shared.groups = GroupNames::new(["c"]);
    connect(&mut links, &[shared], at(10));
    assert_eq!(
        links.poll(at(10)),
        [Action::Close(link.clone(), LinkCloseReason::NotWanted)]
    );
    links.link_closed(&key(), &link, at(20));
    assert_eq!(links.status(&key()), None);
    assert!(links.poll(at(1_000_000)).is_empty());
}

#[test]
fn what_the_other_side_dialed_is_its_own_affair() {
    let mut links = links(SECTION);
    let link = accepted("00");
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    assert_eq!(
        links.link_accepted(&key(), link.clone(), at(0)),
        Admission::Admitted
    );
    connect(&mut links, &[listener("tls:r2:2")], at(1));
    connect(&mut links, &[], at(2));
    assert!(links.poll(at(2)).is_empty());
    assert_eq!(links.status(&key()), Some(LinkStatus::Linked(link)));
}

#[test]
fn the_last_reason_to_close_a_link_holds() {
    let mut links = links(SECTION);
    let link = linked(&mut links);
    connect(&mut links, &[listener("tls:r2:2")], at(1));
    links.router_removed(&r2(), at(2));
    assert_eq!(
        links.poll(at(2)),
        [Action::Close(link, LinkCloseReason::RouterRemoved)]
    );
}

#[test]
fn interfaces_and_protocols_make_links_of_their_own() {
    let mut links = links(
        "link: {dialers: [{binding: transport, startupDelay: 0s, bind: 10.0.0.1},          {binding: transport, startupDelay: 0s, bind: 10.0.0.2}]}",
    );
    let mut second = listener("tls:r2:2");
    second.interface = Some("eth1".to_owned());
    // The same purpose as the first listener: passed over.
    let third = listener("tls:r2:3");
    connect(&mut links, &[listener("tls:r2:1"), second, third], at(0));
    let mut dialed: Vec<_> = links
        .poll(at(0))
        .into_iter()
        .map(|action| match action {
            Action::Dial(dial) => format!("{} {}", dial.ticket.key(), dial.ticket.address()),
            other => panic!("{other:?}"),
        })
        .collect();
    dialed.sort();
    let expected = [
        "10.0.0.1->tls:r2->default tls:r2:1",
        "10.0.0.1->tls:r2->eth1 tls:r2:2",
        "10.0.0.2->tls:r2->default tls:r2:1",
        "10.0.0.2->tls:r2->eth1 tls:r2:2",
    ];
    assert_eq!(dialed, expected);
}

#[test]
fn a_changed_address_is_dialed_in_place_of_the_old_one() {
    // While linked: the link is closed, and dialed again when it is.
    let mut state = links(SECTION);
    let link = linked(&mut state);
    connect(&mut state, &[listener("tls:r2:9")], at(60_000));
    assert_eq!(
        state.poll(at(60_000)),
        [Action::Close(link.clone(), LinkCloseReason::AddressChanged)]
    );
    state.link_closed(&key(), &link, at(60_001));
    assert_eq!(
        the_dial(&mut state, at(60_001)).ticket.address(),
        "tls:r2:9"
    );

    // While waiting: as soon as the shortest pause allows.
    let mut state = links(SECTION);
    connect(&mut state, &[listener("tls:r2:1")], at(0));
    for now in [0, 5_000] {
        let ticket = the_dial(&mut state, at(now)).ticket;
        state.dial_failed(ticket, DialFailure::Failed, at(now));
    }
    connect(&mut state, &[listener("tls:r2:9")], at(5_500));
    assert_eq!(waiting_until(&state), 100);
    connect(&mut state, &[listener("tls:r2:8")], at(11_000));
    assert_eq!(waiting_until(&state), 110);
    // And with the shortest pause after it.
    let ticket = the_dial(&mut state, at(11_000)).ticket;
    state.dial_failed(ticket, DialFailure::Failed, at(11_000));
    assert_eq!(waiting_until(&state), 160);
}

#[test]
fn an_attempt_for_an_old_address_does_not_count() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let old = the_dial(&mut links, at(0)).ticket;
    connect(&mut links, &[listener("tls:r2:2")], at(100));
    assert!(links.poll(at(9_000)).is_empty(), "one attempt at a time");
    let link = old.link().clone();
    assert_eq!(links.dial_succeeded(old, at(9_000)), Admission::Refused);
    let actions = links.poll(at(9_000));
    assert_eq!(
        actions[0],
        Action::Close(link, LinkCloseReason::AddressChanged)
    );
    let [_, Action::Dial(_)] = &actions[..] else {
        panic!("{actions:?}");
    };
}

#[test]
fn a_failure_at_an_old_address_makes_no_pause_longer() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let ticket = the_dial(&mut links, at(0)).ticket;
    links.dial_failed(ticket, DialFailure::Failed, at(0));
    let old = the_dial(&mut links, at(5_000)).ticket;
    connect(&mut links, &[listener("tls:r2:2")], at(5_100));
    links.dial_failed(old, DialFailure::Failed, at(9_000));
    assert_eq!(waiting_until(&links), 100);
}

#[test]
fn an_attempt_that_nobody_wants_any_more_is_undone() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let first = the_dial(&mut links, at(0)).ticket;
    connect(&mut links, &[], at(1));
    // The listener comes back while the attempt is under way: still one at a time.
    connect(&mut links, &[listener("tls:r2:1")], at(2));
    assert!(links.poll(at(2)).is_empty());
    links.dial_failed(first, DialFailure::Failed, at(3));
    let second = the_dial(&mut links, at(5_003)).ticket;
    connect(&mut links, &[], at(5_004));
    let link = second.link().clone();
    assert_eq!(links.dial_succeeded(second, at(5_005)), Admission::Refused);
    assert_eq!(
        links.poll(at(5_005)),
        [Action::Close(link, LinkCloseReason::NotWanted)]
    );
    assert_eq!(links.status(&key()), None);
}

#[test]
fn of_two_links_for_the_same_purpose_one_is_closed() {
    // Ours begins with 80. (arrives, admitted, then told to do at these seconds)
    let cases = [
        ("ff", false, vec![(30, "ff", LinkCloseReason::Duplicate)]),
        ("00", true, vec![(60, "80", LinkCloseReason::Replaced)]),
    ];
    for (id, stays, expected) in cases {
        let mut links = links(SECTION);
        let ours = linked(&mut links);
        let arrived = accepted(id);
        let admission = links.link_accepted(&key(), arrived.clone(), at(0));
        assert_eq!(admission == Admission::Admitted, stays, "{id}");
        if stays {
            assert_eq!(links.poll(at(0)), [Action::ReportDuplicate(ours.clone())]);
        }
        for (second, prefix, why) in expected {
            assert!(links.poll(at(second * 1000 - 1)).is_empty(), "{id}");
            assert_eq!(links.deadline(), Some(at(second * 1000)));
            let actions = links.poll(at(second * 1000));
            let [Action::Close(link, reason)] = actions.as_slice() else {
                panic!("{actions:?}");
            };
            assert!(link.id.as_str().starts_with(prefix), "{link:?}");
            assert_eq!(*reason, why);
        }
        let staying = if stays { arrived } else { ours.clone() };
        assert_eq!(links.status(&key()), Some(LinkStatus::Linked(staying)));
        links.link_closed(&key(), &if stays { ours } else { accepted(id) }, at(90_000));
        assert!(
            links.poll(at(90_000)).is_empty(),
            "the other one is still there"
        );
    }
}

#[test]
fn an_accepted_link_that_is_replaced_is_kept_a_little_longer() {
    let mut links = links(SECTION);
    let (older, newer) = (accepted("80"), accepted("00"));
    for link in [&older, &newer] {
        let admission = links.link_accepted(&key(), link.clone(), at(0));
        assert_eq!(admission, Admission::Admitted);
    }
    assert_eq!(links.poll(at(0)), [Action::ReportDuplicate(older.clone())]);
    assert!(links.poll(at(74_999)).is_empty());
    assert_eq!(
        links.poll(at(75_000)),
        [Action::Close(older, LinkCloseReason::Replaced)]
    );
}

#[test]
fn a_duplicate_that_this_side_dialed_is_closed_at_once() {
    let mut links = links(SECTION);
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    let ticket = the_dial(&mut links, at(0)).ticket;
    assert_eq!(
        links.link_accepted(&key(), accepted("00"), at(1)),
        Admission::Admitted
    );
    let ours = ticket.link().clone();
    assert_eq!(links.dial_succeeded(ticket, at(2)), Admission::Refused);
    assert_eq!(
        links.poll(at(2)),
        [Action::Close(ours, LinkCloseReason::Duplicate)]
    );
    assert_eq!(links.deadline(), None);
}

#[test]
fn a_link_that_the_other_side_has_closed_need_not_be_closed() {
    let mut links = links(SECTION);
    linked(&mut links);
    assert_eq!(
        links.link_accepted(&key(), accepted("ff"), at(0)),
        Admission::Refused
    );
    links.link_closed(&key(), &accepted("ff"), at(1_000));
    assert!(links.poll(at(100_000)).is_empty());
}

#[test]
fn a_removed_router_loses_its_links_and_is_dialed_no_more() {
    let mut links = links(SECTION);
    let link = linked(&mut links);
    links.router_removed(&r2(), at(1_000));
    assert_eq!(
        links.poll(at(1_000)),
        [Action::Close(link.clone(), LinkCloseReason::RouterRemoved)]
    );
    links.link_closed(&key(), &link, at(1_001));
    assert_eq!((links.deadline(), links.status(&key())), (None, None));
}

#[test]
fn a_router_that_stays_away_is_forgotten_after_two_days_without_a_link() {
    let hour = 3_600_000;
    let mut links = links(SECTION);
    let link = linked(&mut links);
    links.router_disconnected(&r2(), at(0));
    assert!(links.poll(at(100 * hour)).is_empty());
    links.link_closed(&key(), &link, at(100 * hour));
    let mut now = at(100 * hour);
    let mut dials = 0;
    while let Some(next) = links.deadline() {
        now = next;
        for action in links.poll(now) {
            let Action::Dial(dial) = action else {
                panic!("{action:?}");
            };
            links.dial_failed(dial.ticket, DialFailure::Failed, now);
            dials += 1;
            assert!(dials < 1_000, "no pauses");
        }
    }
    assert_eq!(now, at(148 * hour));
    assert!((45..=52).contains(&dials), "about one each hour: {dials}");
    assert_eq!(links.status(&key()), None);
}

#[test]
fn without_randomness_dials_wait() {
    let dialers = dialers(&config(SECTION).link).expect("usable");
    let mut links = Links::new(dialers, Arc::new(Empty), at(0));
    connect(&mut links, &[listener("tls:r2:1")], at(0));
    assert!(links.poll(at(0)).is_empty());
    assert_eq!(waiting_until(&links), 50);
}
