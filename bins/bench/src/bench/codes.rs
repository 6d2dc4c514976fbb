//! TOTP codes: given to the controller, written by the engine alone, and checked by nobody but the
//! one who computes.
//!
//! A code counts once, so everybody gives one, and each figure is taken once.

use super::baseline::{recovery_codes, updates, verifications};
use super::load::{Budget, Tally, drive};
use super::refusals;
use super::report::{Figure, Report, Target};
use super::scale::Scale;
use super::seed::{Person, Seed};
use super::work::{Work, own_work, work};
use crate::testbed::controller::{Controller, Program};
use crate::testbed::request::{self, CLIENT};
use portcullis_domain::clock::Clock as _;
use portcullis_domain::mfa::TimeStep;
use portcullis_system::SystemClock;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const CLIENTS: usize = 64;

/// The longest that it may take until everybody has given a code.
const PATIENCE: Duration = Duration::from_mins(2);

const ENGINE: &str = "engine, same rows, groups of 64";

/// Measures codes that are accepted durably, beside commits of the same rows.
pub(super) async fn measure(
    controller: &Path,
    scratch: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let program = Program::new(controller, scratch, "codes");
    program.start().await?.stop().await?;
    let mut people = Seed::open(&program.home)?.people(scale.people + scale.people / 2)?;
    let others = people.split_off(scale.people);
    let people = Arc::new(people);

    let running = program.start().await?;
    // The read model is filled behind the first answers.
    running.process.calm().await?;
    let mut accepted = Work::default();
    accepted += work(running.process, give(&running, &people)).await?;
    let mut link = running.endpoint(None)?.connect().await?;
    refusals::measure(&mut link, &others, report).await?;
    running.stop().await?;

    let alone = scratch.join("codes-alone");
    fs::create_dir(&alone)?;
    let seed = Seed::open(&alone)?;
    let others = seed.people(scale.people)?;
    let mut written = Work::default();
    written += own_work(|| updates(&seed, others, CLIENTS))?;

    report.add(
        Figure::rate("TOTP codes accepted, 64 clients", &accepted)
            .beside(ENGINE, written.rate())
            .target(Target::RatioAtLeast(0.6)),
    );
    report.add(Figure::rate(ENGINE, &written));
    let (mut checked, mut drawn) = (Work::default(), Work::default());
    checked += own_work(|| verifications(scale.turn()))?;
    drawn += own_work(|| recovery_codes(scale.turn()))?;
    report.add(Figure::rate("TOTP codes checked, one processor", &checked));
    report.add(Figure::rate(
        "sets of recovery codes, one processor",
        &drawn,
    ));
    Ok(())
}

/// Has everybody give a code.
async fn give(controller: &Controller, people: &Arc<Vec<Person>>) -> anyhow::Result<Tally> {
    let links = controller.endpoint(None)?.connect_many(CLIENTS).await?;
    let budget = Budget {
        time: PATIENCE,
        count: u64::try_from(people.len())?,
    };
    let (tally, _) = drive(links, budget, |mut link, pace| {
        let people = Arc::clone(people);
        async move {
            while let Some(turn) = pace.next() {
                let Some(person) = people.get(usize::try_from(turn)?) else {
                    break;
                };
                link.expect(200, &answer(person)).await?;
            }
            Ok(link)
        }
    })
    .await?;
    Ok(tally)
}

fn answer(person: &Person) -> Vec<u8> {
    let code = person.secret.code_at(TimeStep::at(SystemClock.now()));
    let body = serde_json::json!({ "code": code.as_str() }).to_string();
    request::post(
        &format!("{CLIENT}/authenticate/mfa"),
        Some(&person.token),
        &body,
    )
}
