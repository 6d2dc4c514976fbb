//! From the start of the process to the first answer.

use super::report::{Figure, Report, Target, Unit};
use crate::testbed::controller::{Controller, Program};
use std::time::Duration;

/// Starts in an empty folder, then again and again on what the first start made; hands over the
/// last controller.
pub(super) async fn measure(
    program: &Program,
    starts: u32,
    report: &mut Report,
) -> anyhow::Result<Controller> {
    let mut controller = program.start().await?;
    let first = milliseconds(controller.start);
    let mut times = Vec::new();
    for _ in 0..starts {
        controller.stop().await?;
        controller = program.start().await?;
        times.push(controller.start);
    }
    report.add(
        Figure::new(
            "start to first answer, no identities",
            milliseconds(median(times)),
            Unit::Milliseconds,
        )
        .target(Target::Below(150.0)),
    );
    report.add(Figure::new(
        "very first start, which makes keys",
        first,
        Unit::Milliseconds,
    ));
    Ok(controller)
}

/// Starts after a kill.
pub(super) async fn after_kill(
    program: &Program,
    controller: Controller,
    report: &mut Report,
) -> anyhow::Result<Controller> {
    controller.kill().await?;
    let controller = program.start().await?;
    report.add(
        Figure::new(
            "start to first answer, with the data, after kill -9",
            milliseconds(controller.start),
            Unit::Milliseconds,
        )
        .target(Target::Below(1000.0)),
    );
    Ok(controller)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle() {
        let times = [5, 1, 9].map(Duration::from_millis);
        assert_eq!(median(times.into()), Duration::from_millis(5));
    }
}
