//! What the export by OTLP costs a start, and whether a controller that does not export pays for it: two controllers
//! start in turns, one with the section, one without.

use crate::bench::report::{Figure, Report, Unit};
use crate::testbed::controller::Program;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tokio::time::sleep;

/// Starts of each.
const STARTS: usize = 9;

/// Time in which a process that has nothing to do gives back what it can.
const CALM: Duration = Duration::from_millis(500);

/// Nobody listens there, and nothing is sent before a minute is over.
const SECTION: &str = "\notlp:\n  endpoint: http://127.0.0.1:9\n";

/// Starts of one of the two.
#[derive(Default)]
struct Starts {
    /// In milliseconds.
    times: Vec<f64>,
    /// Resident memory in KiB.
    memory: Vec<f64>,
}

pub(super) async fn measure(
    program: &Path,
    scratch: &Path,
    report: &mut Report,
) -> anyhow::Result<()> {
    let without = Program::new(program, scratch, "without-otlp");
    let with = Program::new(program, scratch, "with-otlp");
    for program in [&without, &with] {
        program.start().await?.stop().await?;
    }
    let file = with.home.join("controller.yml");
    let text = fs::read_to_string(&file)?;
    fs::write(&file, text + SECTION)?;
    let (mut plain, mut exporting) = (Starts::default(), Starts::default());
    for _ in 0..STARTS {
        plain.add(&without).await?;
        exporting.add(&with).await?;
    }
    let name = "the same, with the section";
    let figure = Figure::new(
        "start to first answer, without `otlp`",
        median(&mut plain.times),
        Unit::Milliseconds,
    );
    report.add(figure.beside(name, median(&mut exporting.times)));
    let figure = Figure::new(
        "memory after it, without `otlp`",
        median(&mut plain.memory),
        Unit::Kibibytes,
    );
    report.add(figure.beside(name, median(&mut exporting.memory)));
    Ok(())
}

impl Starts {
    #[expect(
        clippy::cast_precision_loss,
        reason = "sizes of memory lie far below the 2^52 that a float holds"
    )]
    async fn add(&mut self, program: &Program) -> anyhow::Result<()> {
        let controller = program.start().await?;
        self.times.push(controller.start.as_secs_f64() * 1e3);
        sleep(CALM).await;
        let bytes = controller.process.resident()? as f64;
        self.memory.push(bytes / 1024.0);
        controller.stop().await
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
