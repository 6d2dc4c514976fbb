use super::*;
use proptest::prelude::*;

fn at(millisecond: i64) -> Timestamp {
    Timestamp::from_millisecond(1_900_000_000_000 + millisecond).unwrap()
}

fn after(in_a_row: u32, last_at: Timestamp) -> Throttle {
    Throttle::from(Some(WrongCodes { in_a_row, last_at }))
}

fn wrong(throttle: Throttle) -> Option<WrongCodes> {
    throttle.into()
}

#[test]
fn wait_doubles_up_to_an_hour() {
    for (in_a_row, wait) in [
        (0, 0),
        (1, 0),
        (4, 0),
        (5, 1),
        (6, 2),
        (7, 4),
        (8, 8),
        (9, 16),
        (10, 32),
        (11, 64),
        (12, 128),
        (13, 256),
        (14, 512),
        (15, 1024),
        (16, 2048),
        (17, 3600),
        (18, 3600),
        (37, 3600),
        (69, 3600),
        (99, 3600),
    ] {
        let throttle = after(in_a_row, at(0));
        let held = throttle.admit(at(0)).err();
        assert_eq!(held.map_or(0, |held| held.retry_after), wait, "{in_a_row}");
        let end = i64::from(wait) * 1000;
        assert_eq!(throttle.admit(at(end)), Ok(()), "{in_a_row}");
        assert_eq!(throttle.admit(at(end - 1)).is_err(), wait > 0, "{in_a_row}");
    }
}

#[test]
fn waits_are_told_in_whole_seconds_rounded_up() {
    let throttle = after(7, at(0));
    for (now, told) in [
        (0, 4),
        (1, 4),
        (999, 4),
        (1000, 3),
        (1001, 3),
        (3000, 1),
        (3999, 1),
    ] {
        let held = throttle.admit(at(now)).unwrap_err();
        assert_eq!(
            held,
            ThrottledError {
                retry_after: told,
                rebased: None
            },
            "{now}"
        );
    }
    let nearly = at(4000) - SignedDuration::from_nanos(1);
    assert_eq!(throttle.admit(nearly).unwrap_err().retry_after, 1);
}

#[test]
fn nothing_is_admitted_beyond_the_cap() {
    let far = [
        at(0),
        at(-1),
        at(i64::from(u32::MAX) * 1000),
        Timestamp::MIN,
        Timestamp::MAX,
    ];
    for in_a_row in [100, 101, u32::MAX] {
        for now in far {
            let held = after(in_a_row, at(0)).admit(now).unwrap_err();
            assert_eq!(
                held,
                ThrottledError {
                    retry_after: 3600,
                    rebased: None
                }
            );
        }
    }
}

#[test]
fn hundredth_wrong_code_with_correct_spacing_shuts() {
    let mut throttle = Throttle::default();
    let mut now = at(0);
    for count in 1..=100 {
        while let Err(held) = throttle.admit(now) {
            now += SignedDuration::from_secs(held.retry_after.into());
        }
        throttle = throttle.after_wrong(now);
        assert_eq!(
            wrong(throttle),
            Some(WrongCodes {
                in_a_row: count,
                last_at: now
            })
        );
    }
    let years_later = now + SignedDuration::from_hours(100_000);
    assert!(throttle.admit(years_later).is_err() && throttle.is_capped());
    assert_eq!(throttle.after_right().admit(now), Ok(()));
}

#[test]
fn right_code_begins_anew() {
    assert_eq!(after(9, at(0)).after_right(), Throttle::default());
    assert_eq!(wrong(Throttle::default()), None);
}

#[test]
fn counting_does_not_overflow() {
    let throttle = after(u32::MAX, at(0)).after_wrong(at(1));
    assert_eq!(throttle, after(u32::MAX, at(1)));
}

#[test]
fn instants_are_kept_as_they_are_stored() {
    let now = Timestamp::new(5, 123_456_789).unwrap();
    let throttle = Throttle::default().after_wrong(now);
    assert_eq!(throttle, after(1, Timestamp::new(5, 123_000_000).unwrap()));
}

#[test]
fn clock_set_back_begins_the_wait_again() {
    let held = after(7, at(0)).admit(at(-86_400_000)).unwrap_err();
    assert_eq!(held.retry_after, 4);
    let rebased = held.rebased.unwrap();
    assert_eq!(rebased, after(7, at(-86_400_000)));
    assert_eq!(rebased.admit(at(-86_400_000 + 4000)), Ok(()));
    assert!(rebased.admit(at(-86_400_000 + 3999)).is_err());
}

#[test]
fn requests_side_by_side_are_no_clock_set_back() {
    for (millisecond, is_rebased) in [(-1, false), (-1000, false), (-1001, true)] {
        let held = after(7, at(0)).admit(at(millisecond)).unwrap_err();
        assert_eq!(
            (held.retry_after, held.rebased.is_some()),
            (4, is_rebased),
            "{millisecond}"
        );
    }
}

#[test]
fn free_codes_need_no_clock() {
    assert_eq!(after(4, at(0)).admit(Timestamp::MIN), Ok(()));
}

proptest! {
    /// Each wrong code makes the next wait at least as long.
    #[test]
    fn waits_grow(in_a_row in 0_u32..150, waited in 0_i64..4_000_000) {
        let wait = |in_a_row| {
            after(in_a_row, at(0)).admit(at(waited)).err().map_or(0, |held| held.retry_after)
        };
        prop_assert!(wait(in_a_row) <= wait(in_a_row + 1));
        prop_assert!(wait(in_a_row) <= Throttle::MAX_WAIT_SECONDS);
    }

    /// Waiting as long as told suffices, a second less does not.
    #[test]
    fn told_wait_is_the_right_one(in_a_row in 5_u32..100, waited in 0_i64..4_000_000) {
        let throttle = after(in_a_row, at(0));
        if let Err(held) = throttle.admit(at(waited)) {
            let end = waited + i64::from(held.retry_after) * 1000;
            prop_assert!(held.retry_after >= 1);
            prop_assert_eq!(throttle.admit(at(end)), Ok(()));
            prop_assert!(throttle.admit(at(end - 1000)).is_err());
        }
    }

    /// No time or count causes a panic, and waits stay within bounds.
    #[test]
    fn nothing_breaks_it(in_a_row in any::<u32>(), last in any::<i64>(), now in any::<i64>()) {
        let instant = |number: i64| {
            let (first, end) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
            Timestamp::new(number.clamp(first, end), 0).unwrap()
        };
        let (last_at, now) = (instant(last), instant(now));
        let throttle = after(in_a_row, last_at);
        let Err(held) = throttle.admit(now) else { return Ok(()) };
        prop_assert!((1..=Throttle::MAX_WAIT_SECONDS).contains(&held.retry_after));
        prop_assert_eq!(throttle.is_capped(), in_a_row >= Throttle::MAX_WRONG_CODES);
        if let Some(rebased) = held.rebased {
            let later = now + SignedDuration::from_secs(held.retry_after.into());
            prop_assert_eq!(rebased.admit(later), Ok(()));
        }
        prop_assert_eq!(wrong(throttle.after_wrong(now)).map(|wrong| wrong.last_at), Some(to_millisecond(now)));
    }

    /// Counts and waits agree with a model that records every attempt, whatever the clock does.
    #[test]
    fn throttle_counts_as_a_full_memory_would(
        attempts in prop::collection::vec((-10_000_i64..100_000, prop::bool::weighted(0.05)), 1..200),
    ) {
        let mut throttle = Throttle::default();
        let mut now = 0_i64;
        let (mut count, mut may_from) = (0_u32, i64::MIN);
        for (by, is_right) in attempts {
            now += by;
            match throttle.admit(at(now)) {
                Err(held) => {
                    prop_assert!(count >= 100 || now < may_from);
                    if let Some(rebased) = held.rebased {
                        throttle = rebased;
                        may_from = now + i64::from(held.retry_after) * 1000;
                    }
                },
                Ok(()) if is_right => {
                    prop_assert!(count < 100 && now >= may_from);
                    throttle = throttle.after_right();
                    (count, may_from) = (0, i64::MIN);
                },
                Ok(()) => {
                    prop_assert!(count < 100 && now >= may_from);
                    throttle = throttle.after_wrong(at(now));
                    count += 1;
                    may_from = match count {
                        0..5 => i64::MIN,
                        5..17 => now + (1000 << (count - 5)),
                        _ => now + 3_600_000,
                    };
                },
            }
            prop_assert_eq!(wrong(throttle).map_or(0, |wrong| wrong.in_a_row), count);
        }
    }
}
