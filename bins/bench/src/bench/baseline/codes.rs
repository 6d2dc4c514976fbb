//! Codes: the rows that one writes, and the arithmetic.

use super::groups::submit;
use crate::bench::load::{Budget, Pace, Tally};
use crate::bench::seed::{Person, Seed};
use anyhow::ensure;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::mfa::{CodeUsage, MfaProgress, SpentCodes, TimeStep};
use portcullis_storage::tables::RowsMut;
use portcullis_system::{SystemClock, SystemEntropy};
use portcullis_totp::{Enrolled, Examiner, RecoveryCodes, Rules, Secret, SubmittedCode};
use std::hint::black_box;
use std::time::Instant;

/// Steps of a window. Neighbors may have the same code, of which the newer one is used up then.
const WINDOW: u64 = 3;

/// Writes what an accepted code changes, in groups of `size`, each committed before the next
/// begins.
pub(in crate::bench) fn updates(
    seed: &Seed,
    people: Vec<Person>,
    size: usize,
) -> anyhow::Result<Tally> {
    let now = SystemClock.now();
    let done = u64::try_from(people.len())?;
    let start = Instant::now();
    let mut people = people.into_iter().peekable();
    while people.peek().is_some() {
        let bodies = people.by_ref().take(size).map(|person| {
            let (mut session, mut mfa) = (person.session.1.clone(), person.mfa.1.clone());
            session.totp.passed_at = Some(now);
            if let MfaProgress::Verified(ledger) = &mut mfa.mfa.progress {
                ledger.last_step = TimeStep::at(now);
            }
            move |rows: &mut RowsMut<'_>| {
                rows.replace(&person.session.0, &person.session.1, &session)?;
                rows.replace(&person.mfa.0, &person.mfa.1, &mfa)
            }
        });
        submit(seed.engine(), bodies)?.wait()?;
    }
    Ok(Tally {
        done,
        elapsed: start.elapsed(),
    })
}

/// Checks codes, each of a window of its own, on one processor.
pub(in crate::bench) fn verifications(budget: Budget) -> anyhow::Result<Tally> {
    let secret = Secret::generate(&SystemEntropy)?;
    let codes = RecoveryCodes::generate(&SystemEntropy)?;
    let mut enrolled = Enrolled::from(CodeUsage {
        last_step: TimeStep(0),
        spent: SpentCodes::default(),
        reprise: None,
    });
    let pace = Pace::new(budget);
    let start = Instant::now();
    let mut done = 0;
    while pace.next().is_some() {
        done += 1;
        // As a person who types it would have it: computed elsewhere, read from a text.
        let step = TimeStep(done * WINDOW);
        let code = secret.code_at(step);
        let submitted = SubmittedCode::parse(code.as_str())?;
        let evidence = Examiner::new(&secret, &codes).examine(&submitted, step);
        enrolled = enrolled.accept(evidence, Rules::STRICT)?;
    }
    ensure!(done > 0, "no time to check a code");
    Ok(Tally {
        done,
        elapsed: start.elapsed(),
    })
}

/// Draws sets of recovery codes, on one processor.
pub(in crate::bench) fn recovery_codes(budget: Budget) -> anyhow::Result<Tally> {
    let pace = Pace::new(budget);
    let start = Instant::now();
    let mut done = 0;
    while pace.next().is_some() {
        black_box(RecoveryCodes::generate(&SystemEntropy)?);
        done += 1;
    }
    Ok(Tally {
        done,
        elapsed: start.elapsed(),
    })
}
