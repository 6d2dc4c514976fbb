//! What else is told about the counts than how long to wait.

use super::*;

#[test]
fn empty_until_something_is_counted() {
    let mut throttle = PasswordThrottle::default();
    assert!(throttle.is_empty());
    throttle.record_failure(source(1), RULES, at(0));
    assert!(!throttle.is_empty());
}

#[test]
fn unknown_source_is_slowed_once_the_common_count_is_spent() {
    let mut throttle = PasswordThrottle::default();
    let is_slowed = |throttle: &PasswordThrottle, number| {
        throttle.is_throttled_as_unknown(source(number), RULES, at(100))
    };
    throttle.record_success(source(1), at(0));
    let free = RULES.shared_free_attempts();
    for number in 0..free {
        assert!(!is_slowed(&throttle, 99), "{number}");
        throttle.record_failure(source(1000 + number), RULES, at(100));
    }
    assert!(is_slowed(&throttle, 99));
    assert!(!is_slowed(&throttle, 1));
}

#[test]
fn known_source_that_is_recalled_is_not_slowed_by_others() {
    let mut throttle = PasswordThrottle::default();
    for number in 0..RULES.shared_free_attempts() {
        throttle.record_failure(source(1000 + number), RULES, at(100));
    }
    assert!(throttle.is_throttled_as_unknown(source(1), RULES, at(100)));
    throttle.restore_success(source(1), at(50), at(100));
    assert!(!throttle.is_throttled_as_unknown(source(1), RULES, at(100)));
}

/// Others that gave a wrong password still wait behind those that gave none.
#[test]
fn right_password_from_a_new_place_leaves_others_counted() {
    let mut throttle = PasswordThrottle::default();
    for number in 0..RULES.shared_free_attempts() {
        throttle.record_failure(source(1000 + number), RULES, at(100));
    }
    throttle.record_success(source(1000), at(100));
    assert_eq!(throttle.unknown.map(|wrong| wrong.in_a_row), Some(0));
    let mut single = PasswordThrottle::default();
    single.record_failure(source(1), RULES, at(100));
    single.record_success(source(1), at(100));
    assert_eq!(single.unknown, None);
}
