//! The listener's side of groups: which connection belongs to which channel.

use crate::support::{fresh, hello, id, secret};
use portcullis_channel::group::{
    Admission, AdmissionTicket, Attachment, Decision, GroupLimits, GroupRegistry, RefusalReason,
    Reservation, ReservationExpiredError,
};
use portcullis_channel::hello::GroupHello;
use portcullis_channel::{Moment, hello::Hello};

type Registry = GroupRegistry<&'static str, u32>;

const ROUTER: &str = "fingerprint of router 1";
const OTHER: &str = "fingerprint of router 2";

fn registry() -> Registry {
    GroupRegistry::new(GroupLimits::default())
}

fn ms(ms: u64) -> Moment {
    Moment::from_micros(ms * 1000)
}

fn first() -> Hello {
    hello(Some(GroupHello {
        is_first: true,
        ..GroupHello::default()
    }))
}

fn further(group: &str, byte: u8) -> Hello {
    hello(Some(GroupHello {
        id: Some(id(group)),
        secret: Some(secret(byte)),
        is_first: false,
    }))
}

fn admit(
    groups: &mut Registry,
    peer: &'static str,
    hello: &Hello,
    at: u64,
) -> Admission<&'static str, u32> {
    groups.admit(&peer, hello, fresh("g", 1), ms(at))
}

fn reserved(admission: Admission<&'static str, u32>) -> Reservation<&'static str> {
    match admission {
        Admission::New(reservation) => reservation,
        other => panic!("{other:?}"),
    }
}

fn refused(admission: Admission<&'static str, u32>) -> RefusalReason {
    match admission {
        Admission::Refuse(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn waits(admission: Admission<&'static str, u32>) -> AdmissionTicket {
    match admission {
        Admission::Wait(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

fn attached(admission: Admission<&'static str, u32>) -> Attachment<u32> {
    match admission {
        Admission::Attach(attachment) => attachment,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_connection_gets_an_id_and_a_secret_and_a_second_one_shows_them() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    assert_eq!(reservation.grant().id(), &id("g"));
    assert_eq!(reservation.grant().secret(), Some(&secret(1)));
    let grant = reservation.grant().clone();
    let _member = groups.open(reservation, 7).unwrap();
    let attachment = attached(admit(&mut groups, ROUTER, &further("g", 1), 5000));
    assert_eq!(attachment, Attachment { channel: 7, grant });
}

#[test]
fn an_id_and_a_secret_that_a_dialer_brings_are_kept() {
    let mut groups = registry();
    let returning = hello(Some(GroupHello {
        id: Some(id("rGR8-1")),
        secret: Some(secret(9)),
        is_first: true,
    }));
    let reservation = reserved(admit(&mut groups, ROUTER, &returning, 0));
    assert_eq!(reservation.grant().id(), &id("rGR8-1"));
    assert_eq!(reservation.grant().secret(), Some(&secret(9)));
}

#[test]
fn a_connection_that_is_not_grouped_is_a_channel_of_its_own() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &hello(None), 0));
    assert_eq!(reservation.grant().secret(), None);
    let member = groups.open(reservation, 1).unwrap();
    assert_eq!(
        refused(admit(&mut groups, ROUTER, &further("g", 1), 0)),
        RefusalReason::UnknownGroup
    );
    groups.close(member);
    assert_eq!(groups.poll_timeout(), None);
}

#[test]
fn a_connection_without_a_group_that_is_not_the_first_is_refused() {
    let mut groups = registry();
    for group in [further("unknown", 1), hello(Some(GroupHello::default()))] {
        assert_eq!(
            refused(admit(&mut groups, ROUTER, &group, 0)),
            RefusalReason::UnknownGroup
        );
    }
}

#[test]
fn another_secret_is_refused_before_and_after_the_channel_is_open() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let no_secret = hello(Some(GroupHello {
        id: Some(id("g")),
        ..GroupHello::default()
    }));
    let refuse_both = |groups: &mut Registry| {
        assert_eq!(
            refused(admit(groups, ROUTER, &further("g", 2), 0)),
            RefusalReason::WrongSecret
        );
        assert_eq!(
            refused(admit(groups, ROUTER, &no_secret, 0)),
            RefusalReason::WrongSecret
        );
    };
    refuse_both(&mut groups);
    let _member = groups.open(reservation, 7).unwrap();
    refuse_both(&mut groups);
}

#[test]
fn a_hello_that_claims_to_found_a_group_that_is_there_joins_it() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let _member = groups.open(reservation, 7).unwrap();
    let mut again = GroupHello {
        id: Some(id("g")),
        secret: Some(secret(1)),
        is_first: true,
    };
    let attachment = attached(admit(&mut groups, ROUTER, &hello(Some(again.clone())), 1));
    assert_eq!(attachment.channel, 7);
    again.secret = Some(secret(2));
    let refusal = refused(admit(&mut groups, ROUTER, &hello(Some(again)), 1));
    assert_eq!(refusal, RefusalReason::WrongSecret);
}

#[test]
fn nobody_else_joins_a_group_with_its_id_and_secret() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let _member = groups.open(reservation, 7).unwrap();
    let refusal = refused(admit(&mut groups, OTHER, &further("g", 1), 0));
    assert_eq!(refusal, RefusalReason::UnknownGroup);
    let mut renamed = further("g", 1);
    renamed.id = "router-2".to_owned();
    let refusal = refused(admit(&mut groups, ROUTER, &renamed, 0));
    assert_eq!(refusal, RefusalReason::UnknownGroup);
}

#[test]
fn nobody_keeps_others_from_an_id_by_taking_it_first() {
    let mut groups = registry();
    let squatter = reserved(admit(&mut groups, OTHER, &first(), 0));
    let _squatter = groups.open(squatter, 1).unwrap();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let _member = groups.open(reservation, 2).unwrap();
    let attachment = attached(admit(&mut groups, ROUTER, &further("g", 1), 0));
    assert_eq!(attachment.channel, 2);
}

#[test]
fn a_connection_that_comes_too_early_waits_for_the_channel() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let ticket = waits(admit(&mut groups, ROUTER, &further("g", 1), 10));
    assert_eq!(groups.poll_decision(), None);
    assert_eq!(groups.poll_timeout(), Some(ms(1010)));
    let grant = reservation.grant().clone();
    let _member = groups.open(reservation, 7).unwrap();
    let decision = Decision::Attach(Attachment { channel: 7, grant });
    assert_eq!(groups.poll_decision(), Some((ticket, decision)));
    assert_eq!(groups.poll_timeout(), None);
}

#[test]
fn a_connection_waits_a_second_at_most() {
    let mut groups = registry();
    let _reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let ticket = waits(admit(&mut groups, ROUTER, &further("g", 1), 10));
    groups.handle_timeout(ms(1009));
    assert_eq!(groups.poll_decision(), None);
    groups.handle_timeout(ms(1010));
    let decision = Decision::Refuse(RefusalReason::UnknownGroup);
    assert_eq!(groups.poll_decision(), Some((ticket, decision)));
}

#[test]
fn those_who_wait_are_refused_when_the_channel_is_not_made() {
    let mut groups = registry();
    let reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    let ticket = waits(admit(&mut groups, ROUTER, &further("g", 1), 0));
    let gone = waits(admit(&mut groups, ROUTER, &further("g", 1), 0));
    groups.withdraw(gone);
    groups.abandon(reservation);
    let decision = Decision::Refuse(RefusalReason::UnknownGroup);
    assert_eq!(groups.poll_decision(), Some((ticket, decision)));
    assert_eq!(groups.poll_decision(), None);
    let _again = reserved(admit(&mut groups, ROUTER, &first(), 0));
}

#[test]
fn those_who_wait_are_counted() {
    let mut groups = registry();
    let _reservation = reserved(admit(&mut groups, ROUTER, &first(), 0));
    for _ in 0..16 {
        let _ticket = waits(admit(&mut groups, ROUTER, &further("g", 1), 0));
    }
    let refusal = refused(admit(&mut groups, ROUTER, &further("g", 1), 0));
    assert_eq!(refusal, RefusalReason::TooManyWaiting);
}

#[test]
fn a_reservation_ends_and_can_then_open_nothing() {
    let mut groups = registry();
    let old = reserved(admit(&mut groups, ROUTER, &first(), 0));
    assert_eq!(groups.poll_timeout(), Some(ms(30_000)));
    groups.handle_timeout(ms(30_000));
    assert_eq!(groups.poll_timeout(), None);
    let new = reserved(admit(&mut groups, ROUTER, &first(), 30_000));
    assert!(matches!(groups.open(old, 1), Err(ReservationExpiredError)));
    let _member = groups.open(new, 2).unwrap();
    let attachment = attached(admit(&mut groups, ROUTER, &further("g", 1), 30_001));
    assert_eq!(attachment.channel, 2);
}

#[test]
fn a_closed_group_is_unknown_and_its_successor_is_not_closed_with_it() {
    let mut groups = registry();
    let old = reserved(admit(&mut groups, ROUTER, &first(), 0));
    groups.handle_timeout(ms(30_000));
    let new = reserved(admit(&mut groups, ROUTER, &first(), 30_000));
    let member = groups.open(new, 2).unwrap();
    groups.abandon(old);
    let _attached = attached(admit(&mut groups, ROUTER, &further("g", 1), 30_001));
    groups.close(member);
    let refusal = refused(admit(&mut groups, ROUTER, &further("g", 1), 30_002));
    assert_eq!(refusal, RefusalReason::UnknownGroup);
}

#[test]
fn groups_of_a_peer_are_counted() {
    let limits = GroupLimits {
        groups_per_peer: 2,
        ..GroupLimits::default()
    };
    let mut groups: Registry = GroupRegistry::new(limits);
    let found = |groups: &mut Registry, peer, group: &str| {
        let hello = hello(Some(GroupHello {
            id: Some(id(group)),
            secret: None,
            is_first: true,
        }));
        admit(groups, peer, &hello, 0)
    };
    let first = reserved(found(&mut groups, ROUTER, "a"));
    let _second = reserved(found(&mut groups, ROUTER, "b"));
    assert_eq!(
        refused(found(&mut groups, ROUTER, "c")),
        RefusalReason::TooManyGroups
    );
    let _other = reserved(found(&mut groups, OTHER, "c"));
    groups.abandon(first);
    let _third = reserved(found(&mut groups, ROUTER, "c"));
}
