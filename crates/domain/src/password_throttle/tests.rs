use super::*;
use proptest::prelude::*;

mod crowd;
mod state;

const RULES: ThrottleRules = ThrottleRules {
    free_attempts: 5,
    max_wait: SignedDuration::from_hours(1),
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_900_000_000 + second).unwrap()
}

fn source(number: u32) -> IpAddr {
    std::net::Ipv4Addr::from_bits(0x0a00_0000 + number).into()
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Seconds that `address` has to wait.
fn wait(throttle: &PasswordThrottle, address: IpAddr, now: Timestamp) -> u32 {
    throttle
        .admit(address, RULES, now)
        .map_or_else(|throttled| throttled.retry_after, |()| 0)
}

/// Guesses `times` times as soon as allowed; returns the time of the last guess.
fn guess(throttle: &mut PasswordThrottle, address: IpAddr, times: u32, mut second: i64) -> i64 {
    for _ in 0..times {
        second += i64::from(wait(throttle, address, at(second)));
        assert_eq!(wait(throttle, address, at(second)), 0);
        throttle.record_failure(address, RULES, at(second));
    }
    second
}

#[test]
fn wait_of_a_source_doubles_up_to_the_longest() {
    let mut throttle = PasswordThrottle::default();
    throttle.record_success(source(1), at(0));
    let mut second = 0;
    for (times, expected) in [
        (4, 0),
        (1, 1),
        (1, 2),
        (1, 4),
        (8, 1024),
        (1, 2048),
        (30, 3600),
    ] {
        second = guess(&mut throttle, source(1), times, second);
        assert_eq!(wait(&throttle, source(1), at(second)), expected);
    }
    throttle.record_success(source(1), at(second));
    assert_eq!(wait(&throttle, source(1), at(second)), 0);
}

#[test]
fn waits_are_told_in_whole_seconds_rounded_up() {
    let mut throttle = PasswordThrottle::default();
    guess(&mut throttle, source(1), 7, 0);
    let last = throttle.sources.failures(source(1)).unwrap().last_at;
    for (millisecond, expected) in [(0, 4), (1, 4), (1000, 3), (3999, 1), (4000, 0)] {
        let now = last + SignedDuration::from_millis(millisecond);
        assert_eq!(wait(&throttle, source(1), now), expected, "{millisecond}");
    }
}

#[test]
fn addresses_of_one_ipv6_network_are_one_source() {
    let mut throttle = PasswordThrottle::default();
    guess(&mut throttle, ip("2001:db8::1"), 5, 0);
    assert_eq!(wait(&throttle, ip("2001:db8::ffff:2"), at(0)), 1);
    assert_eq!(wait(&throttle, ip("2001:db8:0:1::1"), at(0)), 0);
}

#[test]
fn known_source_waits_for_itself_alone() {
    let mut throttle = PasswordThrottle::default();
    throttle.record_success(source(0), at(0));
    let mut second = 0;
    for number in 1..=120 {
        second = guess(&mut throttle, source(number), 1, second);
        assert_eq!(wait(&throttle, source(0), at(second)), 0);
    }
    assert!(wait(&throttle, source(1), at(second)) > 3600);
    // Its own wrong passwords count, though.
    let second = guess(&mut throttle, source(0), 6, second);
    assert_eq!(wait(&throttle, source(0), at(second)), 2);
    // A right password from there does not help other sources.
    throttle.record_success(source(0), at(second + 2));
    assert_eq!(wait(&throttle, source(0), at(second + 2)), 0);
    assert!(wait(&throttle, source(1), at(second + 2)) > 3600);
}

#[test]
fn a_source_is_known_for_ninety_days() {
    let day = 86_400;
    let mut throttle = PasswordThrottle::default();
    throttle.record_success(source(0), at(0));
    let now = 90 * day;
    for number in 1..=40 {
        throttle.record_failure(source(number), RULES, at(now - 10));
    }
    assert_eq!(wait(&throttle, source(0), at(now - 1)), 0);
    assert!(wait(&throttle, source(0), at(now)) > 0);
}

#[test]
fn right_password_from_a_new_place_begins_the_common_count_anew() {
    let mut throttle = PasswordThrottle::default();
    let mut second = 0;
    for number in 0..30 {
        second = guess(&mut throttle, source(number), 1, second);
    }
    second += i64::from(wait(&throttle, source(99), at(second)));
    throttle.record_success(source(99), at(second));
    assert_eq!(wait(&throttle, source(100), at(second)), 0);
}

#[test]
fn each_quiet_day_takes_one_wrong_password_off() {
    let day = 86_400;
    let mut throttle = PasswordThrottle::default();
    let mut second = guess(&mut throttle, source(1), 120, 0);
    for quiet in [7, 30, 3] {
        second += quiet * day;
        let mut attempts = 0;
        while wait(&throttle, source(1), at(second)) == 0 {
            throttle.record_failure(source(1), RULES, at(second));
            attempts += 1;
            second += 3600;
        }
        assert_eq!(attempts, quiet, "as many as one a day");
        second -= 3600;
    }
    second += 200 * day;
    throttle.record_failure(source(1), RULES, at(second));
    assert_eq!(throttle.unknown.unwrap().in_a_row, 1);
    assert_eq!(wait(&throttle, source(1), at(second)), 0);
}

#[test]
fn sources_are_bounded_and_strangers_displace_no_known_one() {
    let mut throttle = PasswordThrottle::default();
    for number in 0..50 {
        throttle.record_success(source(number), at(i64::from(number) * 86_400));
    }
    let now = at(50 * 86_400);
    for number in 1000..9000 {
        throttle.record_failure(source(number), RULES, now);
    }
    for number in 42..50 {
        assert!(throttle.sources.is_known(source(number), now), "{number}");
    }
    assert!(!throttle.sources.is_known(source(41), now));
    let bytes = serde_json::to_string(&throttle).unwrap().len();
    assert!(bytes < 6000, "{bytes} bytes in the store");
}

#[test]
fn most_right_passwords_change_nothing() {
    let mut throttle = PasswordThrottle::default();
    throttle.record_success(source(1), at(0));
    let before = throttle.clone();
    throttle.record_success(source(1), at(86_399));
    assert_eq!(throttle, before);
    throttle.record_success(source(1), at(86_400));
    assert_ne!(throttle, before);
}

#[test]
fn clock_set_back_is_worth_one_attempt() {
    let mut throttle = PasswordThrottle::default();
    guess(&mut throttle, source(1), 8, 100_000);
    assert_eq!(wait(&throttle, source(1), at(0)), 0);
    throttle.record_failure(source(1), RULES, at(0));
    assert_eq!(wait(&throttle, source(1), at(0)), 16);
}

#[test]
fn an_attempt_that_is_judged_late_is_no_clock_set_back() {
    let mut throttle = PasswordThrottle::default();
    let made = 1000;
    guess(&mut throttle, source(1), 5, made + 30);
    assert_eq!(wait(&throttle, source(1), at(made)), 31);
    assert_eq!(wait(&throttle, source(1), at(made - 29)), 60);
}

#[test]
fn another_password_begins_all_counts_anew_and_knows_the_same_sources() {
    let mut throttle = PasswordThrottle::default();
    throttle.record_success(source(0), at(0));
    for number in 0..40 {
        throttle.record_failure(source(number), RULES, at(0));
    }
    throttle.clear_failures();
    assert!(throttle.spent.is_empty());
    assert_eq!(wait(&throttle, source(1), at(0)), 0);
    assert!(throttle.sources.is_known(source(0), at(0)));
    assert!(!throttle.sources.is_known(source(1), at(0)));
}

#[test]
fn what_was_stored_is_read_again() {
    let mut throttle = PasswordThrottle::default();
    throttle.record_success(ip("2001:db8::1"), at(0));
    throttle.record_failure(ip("192.0.2.1"), RULES, at(1));
    let text = serde_json::to_string(&throttle).unwrap();
    assert_eq!(
        serde_json::from_str::<PasswordThrottle>(&text).unwrap(),
        throttle
    );
    assert_eq!(
        serde_json::from_str::<PasswordThrottle>("{}").unwrap(),
        PasswordThrottle::default()
    );
}

proptest! {
    /// For any clock, count and order the wait stays in bounds, and a known source never waits
    /// longer than configured.
    #[test]
    fn nothing_breaks_it(
        steps in prop::collection::vec((0_u32..20, -100_000_i64..10_000_000, any::<bool>()), 1..300),
        free_attempts in 1_u32..100,
        longest in 1_i64..86_400,
    ) {
        let rules = ThrottleRules {
            free_attempts,
            max_wait: SignedDuration::from_secs(longest),
        };
        let mut throttle = PasswordThrottle::default();
        for (number, second, is_right) in steps {
            let (address, now) = (source(number), at(second));
            match throttle.admit(address, rules, now) {
                Err(ThrottledError { retry_after }) => {
                    prop_assert!((1..=86_460).contains(&retry_after));
                    if throttle.sources.is_known(address, now) {
                        prop_assert!(i64::from(retry_after) <= longest + 60);
                    }
                    let later = at(second + i64::from(retry_after));
                    prop_assert!(throttle.admit(address, rules, later).is_ok());
                },
                Ok(()) if is_right => throttle.record_success(address, now),
                Ok(()) => throttle.record_failure(address, rules, now),
            }
        }
    }

    /// For any number of free attempts, the first wait of unknown sources is one second.
    #[test]
    fn waits_of_unknown_sources_begin_with_a_second(
        free_attempts in 1_u32..=100,
        longest in 1_i64..=86_400,
        crowd in 2_u32..500,
    ) {
        let rules = ThrottleRules {
            free_attempts,
            max_wait: SignedDuration::from_secs(longest),
        };
        let mut throttle = PasswordThrottle::default();
        for number in 0.. {
            // In turn, so that no source exceeds its own limit.
            let address = source(number % crowd.max(1 + 4 * free_attempts));
            match throttle.admit(address, rules, at(0)) {
                Ok(()) => throttle.record_failure(address, rules, at(0)),
                Err(throttled) => {
                    prop_assert_eq!(throttled.retry_after, 1);
                    prop_assert_eq!(number, 4 * free_attempts);
                    break;
                },
            }
        }
    }
}
