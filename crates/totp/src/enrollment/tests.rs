use super::*;
use crate::code::SubmittedCode;
use crate::evidence::Examiner;
use crate::recovery_codes::RecoveryCodes;
use crate::secret::Secret;
use crate::testing::SeededEntropy;
use proptest::prelude::*;

mod model;

fn step(number: u64) -> Evidence {
    Evidence(CodeMatch::Step(TimeStep(number)))
}

fn recovery(place: u8) -> Evidence {
    Evidence(CodeMatch::Recovery(place))
}

fn session(number: u8) -> ApiSessionId {
    ApiSessionId::from_wire(format!("session-{number}"))
}

fn enrolled_at(number: u64) -> Enrolled {
    NotEnrolled.start().verify(step(number)).unwrap()
}

fn usage(enrolled: Enrolled) -> CodeUsage {
    enrolled.into()
}

#[test]
fn verification_takes_a_code_of_the_app_alone() {
    for evidence in [recovery(0), Evidence::NONE] {
        assert_eq!(Started.verify(evidence), Err(CodeError::Wrong));
    }
    let fresh = CodeUsage {
        last_step: TimeStep(8),
        spent: SpentCodes::default(),
        reprise: None,
    };
    assert_eq!(usage(enrolled_at(8)), fresh);
}

#[test]
fn code_is_accepted_once() {
    let refused = enrolled_at(8).accept(step(8), Rules::STRICT);
    assert_eq!(
        refused,
        Err(CodeError::Replayed),
        "the code of the verification"
    );
    let enrolled = enrolled_at(8).accept(step(9), Rules::STRICT).unwrap();
    for used in [7, 8, 9] {
        let refused = enrolled.clone().accept(step(used), Rules::STRICT);
        assert_eq!(refused, Err(CodeError::Replayed), "{used}");
    }
    assert!(enrolled.accept(step(10), Rules::STRICT).is_ok());
}

#[test]
fn reuse_inside_the_window_never_takes_the_newest_step_back() {
    let mut enrolled = enrolled_at(8);
    for (accepted, last_step) in [(8, 8), (7, 8), (10, 10), (8, 10), (10, 10)] {
        enrolled = enrolled.accept(step(accepted), Rules::OPENZITI).unwrap();
        assert_eq!(usage(enrolled.clone()).last_step, TimeStep(last_step));
    }
    let refused = enrolled.accept(step(9), Rules::STRICT);
    assert_eq!(
        refused,
        Err(CodeError::Replayed),
        "when the rules are strict again"
    );
}

#[test]
fn recovery_code_is_spent_once_under_all_rules() {
    for rules in [Rules::STRICT, Rules::OPENZITI] {
        let enrolled = enrolled_at(8).accept(recovery(3), rules).unwrap();
        let refused = enrolled.clone().accept(recovery(3), rules);
        assert_eq!(refused, Err(CodeError::Replayed));
        assert!(enrolled.accept(recovery(4), rules).is_ok());
    }
}

#[test]
fn new_codes_are_unspent() {
    let enrolled = enrolled_at(8).accept(recovery(3), Rules::STRICT).unwrap();
    let enrolled = enrolled
        .accept_for_new_codes(recovery(4), Rules::STRICT, &session(1))
        .unwrap();
    let ledger = usage(enrolled);
    assert!(ledger.spent.is_empty());
    assert_eq!(
        ledger.reprise, None,
        "a recovery code may not be shown again"
    );
}

#[test]
fn code_for_new_codes_reads_them_once_in_its_session() {
    let strict = Rules::STRICT;
    let renewed = enrolled_at(8)
        .accept_for_new_codes(step(9), strict, &session(1))
        .unwrap();
    let read = |enrolled: &Enrolled, number, by| {
        enrolled
            .clone()
            .accept_to_read_codes(step(number), strict, &session(by))
    };
    assert_eq!(
        read(&renewed, 9, 2),
        Err(CodeError::Replayed),
        "another session"
    );
    assert_eq!(
        read(&renewed, 8, 1),
        Err(CodeError::Replayed),
        "another code"
    );
    assert_eq!(
        renewed.clone().accept(step(9), strict),
        Err(CodeError::Replayed),
        "a login"
    );
    let again = renewed
        .clone()
        .accept_for_new_codes(step(9), strict, &session(1));
    assert_eq!(again, Err(CodeError::Replayed), "new codes");
    let done = read(&renewed, 9, 1).unwrap();
    assert_eq!(read(&done, 9, 1), Err(CodeError::Replayed), "a second time");
    assert_eq!(usage(done).last_step, TimeStep(9));
    for evidence in [step(10), recovery(0)] {
        let moved_on = renewed.clone().accept(evidence, strict).unwrap();
        assert_eq!(
            read(&moved_on, 9, 1),
            Err(CodeError::Replayed),
            "after {evidence:?}"
        );
    }
}

#[test]
fn reprise_does_not_revive_an_older_code() {
    let renewed = enrolled_at(8)
        .accept_for_new_codes(step(7), Rules::OPENZITI, &session(1))
        .unwrap();
    for used in [7, 8] {
        let refused = renewed
            .clone()
            .accept_to_read_codes(step(used), Rules::STRICT, &session(1));
        assert_eq!(refused, Err(CodeError::Replayed), "{used}");
    }
}

#[test]
fn refusals_say_nothing_but_why() {
    assert_eq!(CodeError::Wrong.to_string(), "the code is wrong");
    assert_eq!(CodeError::Replayed.to_string(), "the code has been used");
}

proptest! {
    /// Whatever the clock does, steps are accepted in increasing order and within the window.
    #[test]
    fn clock_set_back_revives_no_code(
        moves in prop::collection::vec((-4_i64..=4, -3_i64..=3), 1..60)
    ) {
        let secret = Secret::generate(&SeededEntropy::new(5)).unwrap();
        let codes = RecoveryCodes::generate(&SeededEntropy::new(6)).unwrap();
        let mut now = 59_000_000_u64;
        let mut newest = now;
        let mut enrolled = enrolled_at(now);
        for (by, offset) in moves {
            now = now.checked_add_signed(by).unwrap();
            let of = TimeStep(now.checked_add_signed(offset).unwrap());
            let submitted = SubmittedCode::Totp(secret.code_at(of));
            let evidence = Examiner::new(&secret, &codes).examine(&submitted, TimeStep(now));
            let is_due = offset.abs() <= 1 && of.0 > newest;
            match enrolled.clone().accept(evidence, Rules::STRICT) {
                Ok(next) => {
                    prop_assert!(is_due, "{of:?} at {now} after {newest}");
                    newest = of.0;
                    enrolled = next;
                },
                Err(refusal) => {
                    prop_assert!(!is_due, "{of:?} at {now} after {newest}: {refusal}");
                    let is_wrong = refusal == CodeError::Wrong;
                    prop_assert_eq!(is_wrong, offset.abs() > 1);
                },
            }
        }
    }
}

/// Nothing an attempt creates is on the heap.
#[test]
fn attempt_needs_no_heap() {
    fn is_plain<T: Copy>() -> usize {
        size_of::<T>()
    }
    assert!(is_plain::<Evidence>() <= 16);
    assert_eq!(size_of::<crate::Code>(), 6);
    assert_eq!(size_of::<crate::RecoveryCode>(), 6);
    assert_eq!(size_of::<SubmittedCode>(), 7);
}

#[test]
fn evidence_is_of_the_secret_and_codes_it_was_found_with() {
    let (seed, other) = (SeededEntropy::new(1), SeededEntropy::new(2));
    let codes = RecoveryCodes::generate(&seed).unwrap();
    let secret = Secret::generate(&seed).unwrap();
    let strangers = RecoveryCodes::generate(&other).unwrap();
    let stranger = Secret::generate(&other).unwrap();
    let now = TimeStep(59_000_000);
    let own = SubmittedCode::Totp(secret.code_at(now));
    let spare = SubmittedCode::parse(codes.unspent(SpentCodes::default()).nth(7).unwrap()).unwrap();
    let find = |submitted, secret, codes| Examiner::new(secret, codes).examine(submitted, now);
    assert_eq!(find(&own, &secret, &codes), step(59_000_000));
    assert_eq!(find(&spare, &secret, &codes), recovery(7));
    assert_eq!(find(&own, &stranger, &codes), Evidence::NONE);
    assert_eq!(find(&spare, &secret, &strangers), Evidence::NONE);
}
