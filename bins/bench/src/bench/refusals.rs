//! Whether the time of an answer tells why a code was refused (property S-10).
//!
//! One client gives a good code for each person, and then codes that are refused for different
//! reasons, in an order that changes from person to person; so whatever else the machine does falls on
//! all reasons alike.

use super::report::{Figure, Report, Target, Unit};
use super::seed::Person;
use crate::testbed::link::Link;
use crate::testbed::request::{self, CLIENT};
use crate::testbed::statistics::{kolmogorov_smirnov, median};
use portcullis_domain::clock::Clock as _;
use portcullis_domain::mfa::TimeStep;
use portcullis_system::SystemClock;
use std::time::{Duration, Instant};

/// A recovery code that nobody has: a set of twenty out of 2^30 hardly holds it.
const NOBODYS: &str = "QZ7QZ7";

/// The longest that it may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// How near two medians have to be.
const NEAR: f64 = 0.95;

/// How likely differences as large as those found have to be among samples of one distribution.
const LIKELY: f64 = 0.01;

/// How long answers took, seconds, by the reason of the refusal.
#[derive(Default)]
struct Samples {
    wrong: Vec<f64>,
    replayed: Vec<f64>,
    no_recovery_code: Vec<f64>,
}

/// Measures with as many people as there is time for.
pub(super) async fn measure(
    link: &mut Link,
    people: &[Person],
    report: &mut Report,
) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    let mut samples = Samples::default();
    for (number, person) in people.iter().enumerate() {
        if Instant::now() >= end {
            break;
        }
        samples.take(link, person, number).await?;
    }
    samples.report(report);
    Ok(())
}

impl Samples {
    async fn take(
        &mut self,
        link: &mut Link,
        person: &Person,
        number: usize,
    ) -> anyhow::Result<()> {
        let step = TimeStep::at(SystemClock.now());
        let good = person.secret.code_at(step);
        let wrong = wrong(person, step);
        link.expect(200, &answer(person, good.as_str())).await?;
        let mut given = [
            (good.as_str(), &mut self.replayed),
            (&*wrong, &mut self.wrong),
            (NOBODYS, &mut self.no_recovery_code),
        ];
        let count = given.len();
        given.rotate_left(number % count);
        for (code, times) in given {
            let request = answer(person, code);
            let start = Instant::now();
            link.expect(400, &request).await?;
            times.push(start.elapsed().as_secs_f64());
        }
        Ok(())
    }

    fn report(&self, report: &mut Report) {
        for (median_name, likeness_name, times) in [
            (
                "refused, replayed code, median",
                "  as likely as of one distribution",
                &self.replayed,
            ),
            (
                "refused, no recovery code, median",
                "  as likely as of one distribution",
                &self.no_recovery_code,
            ),
        ] {
            let (nearer, farther) = ordered(median(times), median(&self.wrong));
            report.add(
                Figure::new(median_name, nearer * 1e3, Unit::Milliseconds)
                    .beside("refused, wrong code, or the other way round", farther * 1e3)
                    .target(Target::RatioAtLeast(NEAR)),
            );
            let likely = kolmogorov_smirnov(times, &self.wrong);
            report.add(
                Figure::new(likeness_name, likely, Unit::Probability)
                    .target(Target::AtLeast(LIKELY)),
            );
        }
    }
}

fn ordered(one: f64, other: f64) -> (f64, f64) {
    (one.min(other), one.max(other))
}

/// A code that the app shows at no step near.
fn wrong(person: &Person, step: TimeStep) -> String {
    let near = |code: &String| {
        (step.0.saturating_sub(3)..=step.0 + 3)
            .any(|step| person.secret.code_at(TimeStep(step)).as_str() == code)
    };
    (0..16)
        .map(|number| format!("{number:06}"))
        .find(|code| !near(code))
        .unwrap_or_default()
}

fn answer(person: &Person, code: &str) -> Vec<u8> {
    let body = serde_json::json!({ "code": code }).to_string();
    let path = format!("{CLIENT}/authenticate/mfa");
    request::post(&path, Some(&person.token), &body)
}
