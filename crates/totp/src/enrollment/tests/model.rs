//! Test of the transitions against a model that remembers everything.

use super::*;

#[derive(Debug, Clone)]
enum Use {
    Login,
    NewCodes(u8),
    ReadCodes(u8),
}

/// Everything ever accepted, oldest first.
#[derive(Default)]
struct History(Vec<(CodeMatch, Use)>);

impl History {
    fn judge(&self, found: CodeMatch, by: &Use, reuse: Reuse) -> Result<(), CodeError> {
        let is_fresh = match found {
            CodeMatch::Nothing => return Err(CodeError::Wrong),
            CodeMatch::Recovery(_) => !self.since_new_codes().any(|earlier| earlier == found),
            CodeMatch::Step(step) => {
                reuse == Reuse::InsideWindow || self.steps().all(|earlier| earlier < step)
            },
        };
        if is_fresh || self.may_be_read_with(found, by) {
            Ok(())
        } else {
            Err(CodeError::Replayed)
        }
    }

    fn steps(&self) -> impl Iterator<Item = TimeStep> {
        self.0.iter().filter_map(|(found, _)| match found {
            CodeMatch::Step(step) => Some(*step),
            CodeMatch::Recovery(_) | CodeMatch::Nothing => None,
        })
    }

    /// What was accepted since the recovery codes were replaced.
    fn since_new_codes(&self) -> impl Iterator<Item = CodeMatch> {
        let renewals = self.0.iter().rev();
        let since = renewals.take_while(|(_, by)| !matches!(by, Use::NewCodes(_)));
        since.map(|(found, _)| *found)
    }

    /// Whether the last event was the same TOTP code, for new codes, by the same session.
    fn may_be_read_with(&self, found: CodeMatch, by: &Use) -> bool {
        match (self.0.last(), by) {
            (Some((last, Use::NewCodes(renewer))), Use::ReadCodes(reader)) => {
                matches!(found, CodeMatch::Step(_)) && *last == found && renewer == reader
            },
            _ => false,
        }
    }
}

fn apply(
    enrolled: Enrolled,
    found: CodeMatch,
    by: &Use,
    rules: Rules,
) -> Result<Enrolled, CodeError> {
    let evidence = Evidence(found);
    match by {
        Use::Login => enrolled.accept(evidence, rules),
        Use::NewCodes(by) => enrolled.accept_for_new_codes(evidence, rules, &session(*by)),
        Use::ReadCodes(by) => enrolled.accept_to_read_codes(evidence, rules, &session(*by)),
    }
}

fn found() -> impl Strategy<Value = CodeMatch> {
    prop_oneof![
        6 => (0_u64..12).prop_map(|number| CodeMatch::Step(TimeStep(number))),
        3 => (0_u8..4).prop_map(CodeMatch::Recovery),
        1 => Just(CodeMatch::Nothing),
    ]
}

fn uses() -> impl Strategy<Value = Use> {
    prop_oneof![
        Just(Use::Login),
        (0_u8..2).prop_map(Use::NewCodes),
        (0_u8..2).prop_map(Use::ReadCodes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn ledger_judges_as_a_full_memory_would(
        attempts in prop::collection::vec((found(), uses()), 1..40),
        is_strict in any::<bool>(),
    ) {
        let rules = if is_strict { Rules::STRICT } else { Rules::OPENZITI };
        let mut enrolled = enrolled_at(2);
        let mut history = History(vec![(CodeMatch::Step(TimeStep(2)), Use::Login)]);
        for (found, by) in attempts {
            let expected = history.judge(found, &by, rules.reuse);
            let judged = apply(enrolled.clone(), found, &by, rules);
            prop_assert_eq!(judged.clone().map(|_| ()), expected, "{:?} for {:?}", found, by);
            if let Ok(next) = judged {
                enrolled = next;
                history.0.push((found, by));
            }
            let ledger: CodeUsage = enrolled.clone().into();
            prop_assert_eq!(Some(ledger.last_step), history.steps().max());
        }
    }

    #[test]
    fn under_strict_rules_a_step_is_accepted_once_but_for_the_reading_of_new_codes(
        attempts in prop::collection::vec((found(), uses()), 1..60),
    ) {
        let mut enrolled = enrolled_at(2);
        let mut newest = TimeStep(2);
        let mut is_renewal = false;
        for (found, by) in attempts {
            let Ok(next) = apply(enrolled.clone(), found, &by, Rules::STRICT) else {
                continue;
            };
            enrolled = next;
            if let CodeMatch::Step(step) = found {
                let is_reading = is_renewal && matches!(by, Use::ReadCodes(_));
                prop_assert!(step > newest || step == newest && is_reading);
                newest = step;
            }
            is_renewal = matches!((found, by), (CodeMatch::Step(_), Use::NewCodes(_)));
        }
    }
}
