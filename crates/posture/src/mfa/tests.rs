//! MFA checks over time: a table, and a naive reference.

use super::*;
use crate::posture::Posture;
use crate::testing::{at, client, state, statement};
use portcullis_domain::client_info::SdkInfo;
use proptest::prelude::*;

fn asking(timeout: i64, wake: bool, unlock: bool) -> MfaCheck {
    MfaCheck {
        timeout_seconds: MfaCheck::parse_timeout(timeout).unwrap(),
        prompt_on_wake: wake,
        prompt_on_unlock: unlock,
        ignore_legacy_endpoints: false,
    }
}

/// A posture of a device that woke up and was unlocked at these times.
fn machine(woken: Option<i64>, unlocked: Option<i64>) -> Posture {
    let mut machine = Posture::default();
    let woken = woken.map(|second| (second, state(true, false)));
    let unlocked = unlocked.map(|second| (second, state(false, true)));
    for (second, report) in woken.into_iter().chain(unlocked) {
        machine.record(statement("q", report), at(second)).unwrap();
    }
    machine
}

/// Columns: timeout; prompts (`w` wake-up, `u` unlock); times of the last code, wake-up and unlock;
/// the present time; whether the check passes; remaining seconds.
const OVER_TIME: &str = "
     -1  .        .     .     .       0   no    .
     -1  .        0     .     .  999999   yes   .
    600  .        .     .     .       0   no    0
    600  .        0     .     .       0   yes   600
    600  .        0     .     .     599   yes   1
    600  .        0     .     .     600   no    0
    600  .        0     9     9     599   yes   1

    900  w        0   100     .     100   yes   300   after a prompt there is a grace
    900  w        0   100     .     399   yes   1
    900  w        0   100     .     400   no    0
    900  w        0   800     .     850   yes   50    which never lengthens the time
    900  w        0     .   100     899   yes   1
    900  u        0     .   100     400   no    0
    900  wu       0   200   100     399   yes   1     the first of several ends it
    900  wu       0   200   100     400   no    0

    900  wu     100   100    99     999   yes   1     a code that was shown since answers it
    900  wu     101   100    99    1000   yes   1

     -1  wu       0   100     .     399   yes   .     a grace of which clients are not told
     -1  wu       0   100     .     400   no    .

    600  .       50     .     .       0   yes   600   a clock that was set back adds nothing
";

#[test]
fn codes_over_time() {
    let lines = OVER_TIME.lines().filter(|line| !line.trim().is_empty());
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |place: usize| words[place].parse::<i64>().ok();
        let asks = |letter| words[1].contains(letter);
        let check = asking(number(0).unwrap(), asks('w'), asks('u'));
        let machine = machine(number(3), number(4));
        let client = client(&machine, number(2));
        let now = at(number(5).unwrap());
        let status = MfaStatus::new(check, &client);
        assert_eq!(status.is_passing(now), words[6] == "yes", "{line}");
        let left = remaining(check, &client, now).map(i64::from);
        assert_eq!(left, number(7), "{line}");
    }
}

#[test]
fn each_prompt_is_passed_until_its_own_grace_is_over() {
    let machine = machine(Some(100), Some(200));
    let client = client(&machine, Some(0));
    let status = MfaStatus::new(asking(900, true, true), &client);
    for (second, woken, unlocked) in [
        (399, true, true),
        (400, false, true),
        (401, false, true),
        (499, false, true),
        (500, false, false),
    ] {
        let is_passed = |prompt| status.is_within_grace(prompt, at(second));
        assert_eq!(is_passed(status.wake_grace_end), woken, "{second}");
        assert_eq!(is_passed(status.unlock_grace_end), unlocked, "{second}");
    }
}

#[test]
fn waking_up_once_more_opens_the_grace_anew() {
    let check = asking(-1, true, false);
    let mut machine = machine(Some(100), None);
    let passes = |machine: &Posture, second| {
        MfaStatus::new(check, &client(machine, Some(0))).is_passing(at(second))
    };
    assert!(!passes(&machine, 500));
    machine
        .record(statement("q", state(true, false)), at(500))
        .unwrap();
    assert!(passes(&machine, 799));
    assert!(!passes(&machine, 800));
}

#[test]
fn begun_seconds_are_counted() {
    let check = asking(600, true, false);
    let machine = machine(Some(100), None);
    let client = client(&machine, Some(0));
    let half = |second| at(second) + SignedDuration::from_millis(500);
    for (now, left) in [(half(99), 301), (half(100), 300), (half(399), 1)] {
        assert_eq!(remaining(check, &client, now), Some(left));
        assert!(MfaStatus::new(check, &client).is_passing(now));
    }
}

#[test]
fn clients_that_know_of_no_timeouts_are_told_of_none() {
    let lenient = MfaCheck {
        ignore_legacy_endpoints: true,
        ..asking(600, false, false)
    };
    let aware = SdkInfo {
        kind: "ziti-sdk-c".to_owned(),
        version: "1.0.0".to_owned(),
        ..SdkInfo::default()
    };
    let machine = Posture::default();
    let old = client(&machine, Some(0));
    let new = Client { sdk: &aware, ..old };
    assert_eq!(remaining(lenient, &old, at(1)), None);
    assert_eq!(remaining(lenient, &new, at(1)), Some(599));
    assert_eq!(remaining(asking(600, false, false), &old, at(1)), Some(599));
    let never = client(&machine, None);
    assert_eq!(remaining(lenient, &never, at(1)), Some(0));
    for client in [old, new] {
        let status = MfaStatus::new(lenient, &client);
        assert!(
            !status.is_passing(at(600)),
            "what they say of themselves gives them no time"
        );
    }
}

/// Naive reference for the rules, in whole seconds.
fn naive_is_passing(
    check: MfaCheck,
    passed: Option<i64>,
    machine: [Option<i64>; 2],
    now: i64,
) -> bool {
    let Some(passed) = passed else {
        return false;
    };
    if let Some(timeout) = check.timeout_seconds
        && now - passed >= i64::from(timeout.get())
    {
        return false;
    }
    let asked = [check.prompt_on_wake, check.prompt_on_unlock];
    for (is_asked, happened) in asked.into_iter().zip(machine) {
        if let Some(happened) = happened
            && is_asked
            && happened > passed
            && now - happened >= 300
        {
            return false;
        }
    }
    true
}

prop_compose! {
    fn any_check()(timeout in prop::sample::select(vec![-1_i64, 1, 250, 300, 301, 900]),
                   wake in any::<bool>(), unlock in any::<bool>(),
                   lenient in any::<bool>()) -> MfaCheck {
        MfaCheck { ignore_legacy_endpoints: lenient, ..asking(timeout, wake, unlock) }
    }
}

/// Events of a session.
#[derive(Debug, Clone, Copy)]
enum Event {
    Passes,
    Wakes,
    Unlocks,
    Nothing,
}

fn events() -> impl Strategy<Value = Vec<(i64, Event)>> {
    let event = prop::sample::select(vec![
        Event::Passes,
        Event::Wakes,
        Event::Unlocks,
        Event::Nothing,
    ]);
    prop::collection::vec((0..400_i64, event), 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_plain_reading_comes_to_the_same_verdict(
        check in any_check(),
        passed in prop::option::of(0..1000_i64),
        woken in prop::option::of(0..1000_i64),
        unlocked in prop::option::of(0..1000_i64),
        now in 0..2000_i64,
    ) {
        let machine = machine(woken, unlocked);
        let client = client(&machine, passed);
        let status = MfaStatus::new(check, &client);
        let is_passing = status.is_passing(at(now));
        prop_assert_eq!(is_passing, naive_is_passing(check, passed, [woken, unlocked], now));
        // What clients see is consistent.
        match remaining(check, &client, at(now)) {
            Some(0) => prop_assert!(!is_passing),
            Some(left) => {
                prop_assert!(is_passing);
                prop_assert!(i64::from(left) <= check.timeout_seconds.unwrap().get().into());
            },
            None => prop_assert!(check.timeout_seconds.is_none() || check.ignore_legacy_endpoints),
        }
        // It passes until its end, and not after.
        if is_passing && let Some(end) = status.ends_at() {
            prop_assert!(at(now) < end);
            prop_assert!(!status.is_passing(end));
            prop_assert!(status.is_passing(end - SignedDuration::from_nanos(1)));
        }
    }

    /// Only a code or a prompt with a grace period makes a check pass again, never time alone.
    #[test]
    fn time_gives_nothing_back(check in any_check(), events in events()) {
        let mut machine = Posture::default();
        let (mut passed, mut now, mut before) = (None, 0, false);
        for (wait, event) in events {
            let was_passing = MfaStatus::new(check, &client(&machine, passed)).is_passing(at(now));
            prop_assert_eq!(was_passing, before);
            now += wait;
            let waited = MfaStatus::new(check, &client(&machine, passed)).is_passing(at(now));
            prop_assert!(before || !waited, "time gave it back");
            match event {
                Event::Passes => passed = Some(now),
                Event::Wakes => drop(machine.record(statement("q", state(true, false)), at(now))),
                Event::Unlocks => drop(machine.record(statement("q", state(false, true)), at(now))),
                Event::Nothing => {},
            }
            let status = MfaStatus::new(check, &client(&machine, passed));
            before = status.is_passing(at(now));
            if before && !waited {
                let is_grace = match event {
                    Event::Wakes => check.prompt_on_wake,
                    Event::Unlocks => check.prompt_on_unlock,
                    Event::Passes | Event::Nothing => false,
                };
                prop_assert!(is_grace || matches!(event, Event::Passes));
                // A grace period requires a code that would still count otherwise.
                prop_assert!(!status.has_timed_out(at(now)));
            }
            if matches!(event, Event::Passes) {
                prop_assert!(before, "a code was shown just now");
            }
        }
    }
}
