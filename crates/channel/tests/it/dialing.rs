//! The dialer's side of groups: what is dialed when.

use crate::support::{id, secret};
use portcullis_channel::group::{
    Backoff, ConnectionCounts, Dial, DialFailure, DialOptions, GroupDialer, Jitter,
};
use portcullis_channel::hello::{Accepted, GroupHello};
use portcullis_channel::{ChannelKind, Headers, Moment, Role};
use std::time::Duration;

const BOTH: ConnectionCounts = ConnectionCounts {
    default: 1,
    high: 1,
};

fn ms(ms: u64) -> Moment {
    Moment::from_micros(ms * 1000)
}

fn router() -> GroupDialer {
    GroupDialer::new(DialOptions::new(ChannelKind::Control), BOTH, Moment::ZERO)
}

fn answer(group: &str, byte: u8) -> Accepted {
    Accepted {
        responder: None,
        group: Some(id(group)),
        secret: Some(secret(byte)),
        headers: Headers::empty(),
    }
}

/// The next dial, and when it is.
fn next(dialer: &mut GroupDialer) -> (u64, Dial) {
    let at = dialer.poll_timeout().unwrap();
    if let Some(before) = at.as_micros().checked_sub(1) {
        assert!(
            dialer.poll_dial(Moment::from_micros(before)).is_none(),
            "too early"
        );
    }
    let dial = dialer.poll_dial(at).unwrap();
    assert_eq!(dialer.poll_timeout(), None, "one dial at a time");
    (at.as_micros() / 1000, dial)
}

fn accept(dialer: &mut GroupDialer, dial: &Dial, group: &str, at: u64) {
    let grant = dialer.handle_accepted(dial, &answer(group, 1), 0, ms(at));
    assert_eq!(grant.unwrap().id(), &id(group));
}

/// A router with both connections at 5 s.
fn connected() -> GroupDialer {
    let mut dialer = router();
    let (_, dial) = next(&mut dialer);
    accept(&mut dialer, &dial, "rGR8", 0);
    let (at, dial) = next(&mut dialer);
    accept(&mut dialer, &dial, "rGR8", at);
    dialer
}

#[test]
fn the_second_connection_follows_after_five_seconds_with_id_and_secret() {
    let mut dialer = router();
    let (at, first) = next(&mut dialer);
    assert_eq!((at, first.role()), (0, Role::Default));
    let hello = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    assert_eq!(first.hello(), &hello);
    accept(&mut dialer, &first, "rGR8", 30);
    let (at, second) = next(&mut dialer);
    assert_eq!((at, second.role()), (5_030, Role::High));
    let hello = GroupHello {
        id: Some(id("rGR8")),
        secret: Some(secret(1)),
        is_first: false,
    };
    assert_eq!(second.hello(), &hello);
    accept(&mut dialer, &second, "rGR8", 5_030);
    assert_eq!(dialer.poll_timeout(), None);
}

#[test]
fn a_controller_that_knows_no_groups_gets_one_connection() {
    let mut dialer = router();
    let (_, dial) = next(&mut dialer);
    let old = Accepted {
        secret: None,
        ..answer("x", 1)
    };
    let grant = dialer.handle_accepted(&dial, &old, 0, ms(0)).unwrap();
    assert_eq!(grant.secret(), None);
    assert_eq!(dialer.poll_timeout(), None);
    dialer.handle_lost(Role::Default, Duration::ZERO, 0, ms(10_000));
    let (at, again) = next(&mut dialer);
    assert_eq!(at, 10_000);
    assert_eq!(again.hello().id, None);
    assert!(again.hello().is_first);
}

#[test]
fn first_connections_are_tried_for_ever_with_pauses_up_to_five_minutes() {
    let mut dialer = router();
    let mut pauses = Vec::new();
    for _ in 0..20 {
        let (at, dial) = next(&mut dialer);
        dialer.handle_failed(&dial, DialFailure::Unreachable, u32::MAX, ms(at));
        let pause = dialer.poll_timeout().unwrap().since(ms(at));
        pauses.push(pause.as_millis());
    }
    // One second lies between dials in any case.
    assert_eq!(pauses[..7], [1000, 1000, 1000, 1000, 1000, 1600, 3200]);
    assert_eq!(pauses[19], 300_000);
}

#[test]
fn a_lost_connection_is_dialed_again_a_second_after_the_last_dial() {
    let mut dialer = connected();
    dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(5_100));
    let (at, dial) = next(&mut dialer);
    assert_eq!((at, dial.role()), (6_000, Role::High));
    assert_eq!(dial.hello().id, Some(id("rGR8")));
    assert!(!dial.hello().is_first);
    accept(&mut dialer, &dial, "rGR8", 6_000);
    dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(6_500));
    let (at, dial) = next(&mut dialer);
    assert_eq!(at, 7_000, "a short life is no failure here");
    accept(&mut dialer, &dial, "rGR8", at);
}

#[test]
fn failures_are_followed_by_two_four_eight_up_to_sixty_seconds() {
    let mut dialer = connected();
    dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(10_000));
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let (at, dial) = next(&mut dialer);
        dialer.handle_failed(&dial, DialFailure::Unreachable, 7, ms(at));
        pauses.push(dialer.poll_timeout().unwrap().since(ms(at)).as_secs());
    }
    assert_eq!(pauses, [2, 4, 8, 16, 32, 60, 60]);
    let (at, dial) = next(&mut dialer);
    accept(&mut dialer, &dial, "rGR8", at);
    dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(at));
    let (_, dial) = next(&mut dialer);
    dialer.handle_failed(&dial, DialFailure::Unreachable, 7, ms(at + 1000));
    let pause = dialer.poll_timeout().unwrap().since(ms(at + 1000));
    assert_eq!(pause.as_secs(), 2, "success starts it anew");
}

#[test]
fn failures_of_one_connection_do_not_delay_the_others() {
    let mut dialer = connected();
    dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(10_000));
    let mut last = 0;
    for _ in 0..6 {
        let (at, dial) = next(&mut dialer);
        dialer.handle_failed(&dial, DialFailure::Unreachable, 7, ms(at));
        last = at;
    }
    dialer.handle_lost(Role::Default, Duration::ZERO, 0, ms(last + 1_500));
    let (at, dial) = next(&mut dialer);
    assert_eq!((at, dial.role()), (last + 1_500, Role::Default));
}

#[test]
fn a_lost_group_is_followed_by_one_with_a_number_and_the_old_secret() {
    let mut dialer = connected();
    for n in 1..3 {
        let lost = 100_000 * n;
        dialer.handle_lost(Role::Default, Duration::ZERO, 0, ms(lost));
        if n == 1 {
            dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(lost));
        }
        let (at, attach) = next(&mut dialer);
        assert_eq!(at, lost);
        assert!(!attach.hello().is_first, "the group may still be there");
        dialer.handle_failed(&attach, DialFailure::Closed, 0, ms(at));
        let (at, found) = next(&mut dialer);
        assert_eq!(at, lost + 2_000);
        let hello = GroupHello {
            id: Some(id(&format!("rGR8-{n}"))),
            secret: Some(secret(1)),
            is_first: true,
        };
        assert_eq!(found.hello(), &hello);
        assert_eq!(found.role(), Role::Default);
        accept(&mut dialer, &found, &format!("rGR8-{n}"), at);
    }
}

#[test]
fn a_group_that_is_still_there_is_joined_again() {
    let mut dialer = connected();
    dialer.handle_lost(Role::Default, Duration::ZERO, 0, ms(100_000));
    dialer.handle_lost(Role::High, Duration::ZERO, 0, ms(100_000));
    let (at, unreachable) = next(&mut dialer);
    dialer.handle_failed(&unreachable, DialFailure::Unreachable, 0, ms(at));
    let (at, attach) = next(&mut dialer);
    assert!(!attach.hello().is_first, "nobody has said that it is gone");
    accept(&mut dialer, &attach, "rGR8", at);
    let (later, high) = next(&mut dialer);
    assert_eq!((later, high.role()), (at + 5_000, Role::High));
}

#[test]
fn a_second_connection_under_way_when_the_others_are_lost_counts() {
    let mut dialer = router();
    let (_, first) = next(&mut dialer);
    accept(&mut dialer, &first, "g", 0);
    let (at, second) = next(&mut dialer);
    dialer.handle_lost(Role::Default, Duration::ZERO, 0, ms(at));
    accept(&mut dialer, &second, "g", at);
    let (_, third) = next(&mut dialer);
    assert_eq!(third.role(), Role::Default);
    assert!(!third.hello().is_first);
}

#[test]
fn an_answer_that_names_another_group_is_refused() {
    let mut dialer = router();
    let (_, first) = next(&mut dialer);
    accept(&mut dialer, &first, "g", 0);
    for wrong in [answer("h", 1), answer("g", 2)] {
        let (at, dial) = next(&mut dialer);
        assert!(dialer.handle_accepted(&dial, &wrong, 0, ms(at)).is_err());
    }
    let (at, dial) = next(&mut dialer);
    let silent = Accepted {
        group: None,
        secret: None,
        ..answer("g", 1)
    };
    let grant = dialer.handle_accepted(&dial, &silent, 0, ms(at)).unwrap();
    assert_eq!(grant.secret(), Some(&secret(1)));
}

#[test]
fn another_version_is_tried_once_more_at_once() {
    let mut dialer = router();
    let mut pauses = Vec::new();
    for _ in 0..2 {
        let (at, dial) = next(&mut dialer);
        let failure = DialFailure::UnsupportedVersion {
            includes_ours: true,
        };
        dialer.handle_failed(&dial, failure, 0, ms(at));
        pauses.push(dialer.poll_timeout().unwrap().since(ms(at)).as_millis());
    }
    assert_eq!(pauses, [0, 1000]);
}

#[test]
fn a_link_has_its_other_connections_after_three_seconds_and_ends_with_the_last_default_one() {
    let wanted = ConnectionCounts {
        default: 3,
        high: 1,
    };
    let options = DialOptions::new(ChannelKind::Link);
    let mut dialer = GroupDialer::new(options, wanted, Moment::ZERO);
    let mut order = Vec::new();
    for _ in 0..4 {
        let (at, dial) = next(&mut dialer);
        order.push((at, dial.role()));
        accept(&mut dialer, &dial, "uuid", at);
    }
    let default = Role::Default;
    let roles = [
        (0, default),
        (3000, default),
        (3000, default),
        (3000, Role::High),
    ];
    assert_eq!(order, roles);

    dialer.handle_lost(default, Duration::from_secs(29), 0, ms(29_000));
    assert_eq!(
        dialer.poll_timeout(),
        Some(ms(31_000)),
        "a short life is a failure"
    );
    for _ in 0..2 {
        assert!(!dialer.is_finished());
        dialer.handle_lost(default, Duration::from_mins(1), 0, ms(60_000));
    }
    assert!(dialer.is_finished());
    assert_eq!(dialer.poll_timeout(), None);
}

#[test]
fn nothing_is_dialed_after_the_end() {
    let mut dialer = connected();
    dialer.finish();
    dialer.handle_lost(Role::Default, Duration::ZERO, 0, ms(9_000));
    assert_eq!(dialer.poll_timeout(), None);
    assert!(dialer.poll_dial(ms(100_000)).is_none());
}

#[test]
fn half_of_a_pause_may_be_left_to_chance() {
    let backoff = Backoff {
        initial: Duration::from_secs(4),
        max: Duration::from_secs(10),
        jitter: Jitter::Half,
    };
    assert_eq!(backoff.delay(1, 0), Duration::from_secs(2));
    assert_eq!(backoff.delay(1, u32::MAX), Duration::from_secs(4));
    assert_eq!(backoff.delay(u32::MAX, u32::MAX), Duration::from_secs(10));
}
