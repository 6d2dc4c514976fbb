//! Lists of identities.

use super::fixture::Fixture;
use super::load::{Pace, Tally};
use super::process::work;
use super::report::{Figure, Report, Target, Unit};
use super::request::{self, MANAGEMENT};
use std::time::{Duration, Instant};

/// Measures pages of 100 in the default order, one after another, from all over the list.
pub(super) async fn measure(fixture: &Fixture, report: &mut Report) -> anyhow::Result<()> {
    let mut times = Vec::new();
    let asking = ask(fixture, &mut times);
    let pages = work(fixture.controller.process, asking).await?;
    report.add(Figure::rate("list pages of 100, one after another", &pages));
    times.sort_unstable();
    report.add(Figure::new(
        "list page of 100, median",
        milliseconds(percentile(&times, 50)),
        Unit::Milliseconds,
    ));
    report.add(
        Figure::new(
            "list page of 100, 99th percentile",
            milliseconds(percentile(&times, 99)),
            Unit::Milliseconds,
        )
        .target(Target::Below(2.0)),
    );
    Ok(())
}

async fn ask(fixture: &Fixture, times: &mut Vec<Duration>) -> anyhow::Result<Tally> {
    let pages = fixture.scale.identities / 100;
    let mut link = fixture.controller.endpoint(None)?.connect().await?;
    let pace = Pace::new(fixture.scale.turn());
    let begin = Instant::now();
    let mut done = 0;
    while let Some(turn) = pace.next() {
        // A prime step visits all pages in an order that no cache of the last one helps.
        let offset = turn * 37 % pages * 100;
        let path = format!("{MANAGEMENT}/identities?limit=100&offset={offset}");
        let request = request::get(&path, Some(&fixture.admin));
        let start = Instant::now();
        link.expect(200, &request).await?;
        times.push(start.elapsed());
        done += 1;
    }
    Ok(Tally {
        done,
        elapsed: begin.elapsed(),
    })
}

/// The time that so many of a hundred do not exceed.
fn percentile(sorted: &[Duration], of_hundred: usize) -> Duration {
    let rank = (sorted.len() * of_hundred).div_ceil(100);
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_the_nearest_rank() {
        let times: Vec<_> = (1..=200).map(Duration::from_millis).collect();
        for (of_hundred, expected) in [(50, 100), (99, 198), (100, 200)] {
            let expected = Duration::from_millis(expected);
            assert_eq!(percentile(&times, of_hundred), expected, "{of_hundred}");
        }
        assert_eq!(percentile(&[], 99), Duration::ZERO);
    }
}
