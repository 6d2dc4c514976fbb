//! Access decisions under several policies.

use super::*;
use crate::ActualValue;
use crate::posture::Posture;
use crate::testing::{at, client, linux_check, mfa_check, os, policy, posture, state};
use ServiceGrant::{Bind, Dial};
use proptest::prelude::*;

fn decide(policies: &[GrantingPolicy], grant: ServiceGrant, client: &Client<'_>) -> AccessDecision {
    AccessDecision::decide(policies, grant, client, at(100))
}

/// The ids of policies and of their failed checks.
fn in_the_way(access: &AccessDecision) -> Vec<(&str, Vec<&str>)> {
    let AccessDecision::Refused(failures) = access else {
        panic!("{access:?} is no refusal");
    };
    let checks = |failure: &'_ PolicyFailure| -> Vec<_> {
        let checks = failure.checks.iter();
        checks.map(|failure| failure.check.id.clone()).collect()
    };
    for failure in failures {
        assert!(!checks(failure).is_empty());
    }
    failures
        .iter()
        .map(|failure| {
            let checks = failure.checks.iter();
            let checks = checks.map(|failure| failure.check.id.as_str()).collect();
            (failure.id.as_str(), checks)
        })
        .collect()
}

/// Rule of the specification: under an MFA check alone, a fully authenticated client sees the
/// service, but cannot connect to it until it has enrolled and given a code.
#[test]
fn without_a_code_a_service_is_listed_and_out_of_reach() {
    let check = mfa_check("mfa", -1, false, false);
    let policies = [policy("p", Dial, &[&check])];
    let nothing = Posture::default();

    let without = client(&nothing, None);
    let listed = policies[0].evaluate(&without, at(100));
    assert_eq!(listed.checks().count(), 1);
    assert!(!listed.is_passing());
    assert_eq!(
        in_the_way(&decide(&policies, Dial, &without)),
        [("p", vec!["mfa"])]
    );

    let with = client(&nothing, Some(90));
    assert!(policies[0].evaluate(&with, at(100)).is_passing());
    assert!(matches!(
        decide(&policies, Dial, &with),
        AccessDecision::Granted(_)
    ));
}

#[test]
fn one_policy_is_enough() {
    let (linux, mfa) = (linux_check("linux"), mfa_check("mfa", 600, false, false));
    let policies = [
        policy("both", Dial, &[&linux, &mfa]),
        policy("code", Dial, &[&mfa]),
        policy("host", Bind, &[&linux]),
    ];
    let nothing = Posture::default();
    let linux = posture(0, [os("linux", "6.1.0")]);
    for (posture, passed, dialing, binding) in [
        (&nothing, None, vec![], vec![]),
        (&nothing, Some(0), vec!["code"], vec![]),
        (&linux, None, vec![], vec!["host"]),
        (&linux, Some(0), vec!["both", "code"], vec!["host"]),
    ] {
        let client = client(posture, passed);
        for (grant, expected) in [(Dial, dialing), (Bind, binding)] {
            match decide(&policies, grant, &client) {
                AccessDecision::Granted(passes) => {
                    let passes = passes.iter().map(|pass| pass.policy.as_str());
                    assert!(passes.eq(expected));
                },
                access => {
                    assert!(expected.is_empty());
                    let count = policies.iter().filter(|policy| policy.grant == grant);
                    assert_eq!(in_the_way(&access).len(), count.count());
                },
            }
        }
    }
    let partly = client(&linux, None);
    assert_eq!(
        in_the_way(&decide(&policies, Dial, &partly)),
        [("both", vec!["mfa"]), ("code", vec!["mfa"])]
    );
}

#[test]
fn what_is_not_granted_is_not_refused() {
    let nothing = Posture::default();
    let client = client(&nothing, None);
    let policies = [policy("p", Bind, &[&mfa_check("mfa", -1, false, false)])];
    assert_eq!(decide(&policies, Dial, &client), AccessDecision::NotGranted);
    assert_eq!(decide(&[], Bind, &client), AccessDecision::NotGranted);
    let free = [policy("free", Dial, &[])];
    assert!(matches!(
        decide(&free, Dial, &client),
        AccessDecision::Granted(_)
    ));
}

#[test]
fn access_ends_with_the_last_policy_that_grants_it() {
    let short = policy("short", Dial, &[&mfa_check("a", 600, false, false)]);
    let mfa = mfa_check("b", 900, true, false);
    let long = policy("long", Dial, &[&mfa, &mfa_check("c", 800, false, false)]);
    let free = policy("free", Dial, &[]);
    let still = Posture::default();
    let woken = posture(50, [state(true, false)]);
    for (policies, posture, end) in [
        (vec![short.clone()], &still, Some(at(600))),
        (vec![short.clone(), long.clone()], &still, Some(at(800))),
        (vec![long.clone()], &woken, Some(at(350))),
        (vec![short.clone(), long.clone()], &woken, Some(at(600))),
        (vec![short.clone(), free, long], &woken, None),
    ] {
        let client = client(posture, Some(0));
        let access = decide(&policies, Dial, &client);
        assert!(matches!(access, AccessDecision::Granted(_)));
        assert_eq!(access.ends_at(), end);
        if let Some(end) = end {
            let over = AccessDecision::decide(&policies, Dial, &client, end);
            assert!(matches!(over, AccessDecision::Refused(_)));
            assert_eq!(over.ends_at(), None);
        }
    }
}

#[test]
fn a_refusal_says_what_there_was() {
    let policies = [policy("p", Dial, &[&linux_check("linux")])];
    let windows = posture(0, [os("Windows", "10.0.0")]);
    let AccessDecision::Refused(failures) = decide(&policies, Dial, &client(&windows, None)) else {
        panic!("Windows is no Linux");
    };
    let ActualValue::Os(Some(os)) = &failures[0].checks[0].actual else {
        panic!("an operating system was reported");
    };
    assert_eq!(
        (os.kind.as_str(), os.version.as_str()),
        ("Windows", "10.0.0")
    );
    assert_eq!(failures[0].name, "policy p");
}

proptest! {
    /// Access requires some policy of the grant whose checks all pass.
    #[test]
    fn a_plain_reading_comes_to_the_same_verdict(
        shapes in prop::collection::vec((any::<bool>(), prop::collection::vec(0..3_usize, 0..3)), 0..5),
        is_linux in any::<bool>(),
        passed in prop::option::of(0..100_i64),
    ) {
        let checks = [
            linux_check("linux"),
            mfa_check("code", -1, false, false),
            mfa_check("fresh", 50, false, false),
        ];
        let passes = [is_linux, passed.is_some(), passed.is_some_and(|passed| passed > 50)];
        let policies: Vec<_> = shapes
            .iter()
            .enumerate()
            .map(|(place, (dials, asked))| {
                let asked: Vec<_> = asked.iter().map(|&check| &checks[check]).collect();
                policy(&place.to_string(), if *dials { Dial } else { Bind }, &asked)
            })
            .collect();
        let posture = posture(0, is_linux.then(|| os("Linux", "6.1.0")));
        let client = client(&posture, passed);
        for grant in ServiceGrant::ALL {
            let granting: Vec<_> = shapes.iter().filter(|(dials, _)| *dials == (grant == Dial)).collect();
            let passing = granting
                .iter()
                .filter(|(_, asked)| asked.iter().all(|&check| passes[check]))
                .count();
            match decide(&policies, grant, &client) {
                AccessDecision::NotGranted => prop_assert!(granting.is_empty()),
                AccessDecision::Granted(by) => {
                    prop_assert_eq!(by.len(), passing);
                    prop_assert!(passing > 0);
                },
                AccessDecision::Refused(failures) => {
                    prop_assert_eq!(passing, 0);
                    prop_assert_eq!(failures.len(), granting.len());
                    for (failure, (_, asked)) in failures.iter().zip(granting) {
                        let failing = asked.iter().filter(|&&check| !passes[check]).count();
                        prop_assert_eq!(failure.checks.len(), failing);
                    }
                },
            }
        }
    }
}
