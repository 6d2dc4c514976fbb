//! Services affected by prompts.

use super::*;
use crate::posture::Posture;
use crate::testing::{at, client, linux_check, mfa_check, policy, posture, state};
use crate::verdict::evaluate;
use portcullis_domain::policies::ServiceGrant::{Bind, Dial};
use proptest::prelude::*;

const WOKEN: MfaPrompts = MfaPrompts {
    woken: true,
    unlocked: false,
};
const UNLOCKED: MfaPrompts = MfaPrompts {
    woken: false,
    unlocked: true,
};

/// The timeout of a service with these policies in the result, -1 for no limit; `None` if the
/// service is not in it.
fn shortened_timeout(
    policies: &[GrantingPolicy],
    prompts: MfaPrompts,
    passed: Option<i64>,
    now: i64,
) -> Option<i64> {
    let posture = Posture::default();
    let service = GrantedService {
        id: &ServiceId::from_wire("s"),
        name: "service",
        policies: &policies.iter().collect::<Vec<_>>(),
    };
    let client = client(&posture, passed);
    let mut told = shortened_services([service], prompts, &client, at(now)).into_iter();
    let first = told.next().inspect(|told| {
        assert_eq!((told.id.as_str(), told.name.as_str()), ("s", "service"));
    });
    assert!(told.next().is_none());
    first.map(|told| told.timeout.map_or(-1, |timeout| timeout.get().into()))
}

#[test]
fn only_time_that_is_lost_is_told() {
    let wake = |timeout| policy("w", Dial, &[&mfa_check("w", timeout, true, false)]);
    let unlock = |timeout| policy("u", Bind, &[&mfa_check("u", timeout, false, true)]);
    let other = policy("o", Dial, &[&linux_check("o")]);
    let neither = policy("n", Dial, &[&mfa_check("n", 5000, false, false)]);
    for (policies, prompts, passed, expected) in [
        (vec![wake(5000)], WOKEN, Some(0), Some(5000)),
        (vec![wake(-1)], WOKEN, Some(0), Some(-1)),
        (vec![wake(5000)], UNLOCKED, Some(0), None),
        (vec![wake(5000)], MfaPrompts::default(), Some(0), None),
        (vec![wake(5000)], WOKEN, None, None),
        (vec![unlock(5000)], UNLOCKED, Some(0), Some(5000)),
        (
            vec![unlock(5000)],
            WOKEN.union(UNLOCKED),
            Some(0),
            Some(5000),
        ),
        // No more than the grace period is left anyway.
        (vec![wake(1300)], WOKEN, Some(0), None),
        (vec![wake(1301)], WOKEN, Some(0), Some(1301)),
        (vec![wake(900)], WOKEN, Some(0), None),
        (vec![other, neither, wake(5000)], WOKEN, Some(0), Some(5000)),
        // The shortest of several.
        (
            vec![wake(-1), wake(5000), wake(6000)],
            WOKEN,
            Some(0),
            Some(5000),
        ),
        (vec![wake(1200), wake(-1)], WOKEN, Some(0), Some(-1)),
    ] {
        let told = shortened_timeout(&policies, prompts, passed, 1000);
        assert_eq!(told, expected, "{policies:?} {prompts:?} {passed:?}");
    }
}

#[test]
fn services_come_in_the_order_in_which_they_are_given() {
    let posture = Posture::default();
    let policies = [policy("w", Dial, &[&mfa_check("w", 900, true, false)])];
    let granting: Vec<_> = policies.iter().collect();
    let ids = ["b", "a", "c"].map(ServiceId::from_wire);
    let services = ids.iter().map(|id| GrantedService {
        id,
        name: id.as_str(),
        policies: if id.as_str() == "a" { &[] } else { &granting },
    });
    let told = shortened_services(services, WOKEN, &client(&posture, Some(0)), at(0));
    let names: Vec<_> = told.iter().map(|told| told.name.as_str()).collect();
    assert_eq!(names, ["b", "c"]);
}

proptest! {
    /// A service is in the result if and only if the prompt brings the end of its check forward, to
    /// the end of the grace period.
    #[test]
    fn what_is_told_is_what_verdicts_say(
        timeout in prop::sample::select(vec![-1_i64, 100, 300, 301, 900, 2000]),
        wake in any::<bool>(),
        passed in prop::option::of(0..1000_i64),
    ) {
        let now = 1000;
        let check = mfa_check("w", timeout, wake, false);
        let still = Posture::default();
        let woken = posture(now, [state(true, false)]);
        let before = evaluate(&check, &client(&still, passed), at(now));
        let after = evaluate(&check, &client(&woken, passed), at(now));
        let is_told = shortened_timeout(&[policy("w", Dial, &[&check])], WOKEN, passed, now).is_some();
        prop_assert_eq!(is_told, before.ends_at != after.ends_at);
        if is_told {
            prop_assert_eq!(after.ends_at, Some(at(now + i64::from(PROMPT_GRACE_SECONDS))));
        }
    }
}
