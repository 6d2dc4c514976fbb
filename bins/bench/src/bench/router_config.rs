//! Checks of routers' configuration files: by the library, and by the command-line client, whose
//! whole life counts.
//!
//! Each figure is taken of several checks. Of hostile files, the one that takes longest and the
//! one that takes most memory decide; which ones these are is told beside the table.

mod check;
mod files;
mod hostile;

use super::plan::say;
use super::report::{Figure, Report, Target, Unit};
use super::scale::Scale;
use crate::testbed::statistics::median;
use anyhow::ensure;
use check::Check;
use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, SourceFile, Verdict};
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Lines of a large file.
const LINES: usize = 5_000;
/// Files that are checked in one call.
const FILES: usize = 1_000;

/// The design's targets.
const LARGE: Target = Target::Below(20.0);
const MANY: Target = Target::Below(1_000.0);
const HOSTILE: Target = Target::Below(100.0);
const MEMORY: Target = Target::Below(64.0);

const MEBIBYTE: f64 = 1_048_576.0;

/// Measures the library, and the program at `cli` on files in `scratch`.
pub(super) async fn measure(
    cli: &Path,
    scratch: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    large(scale, report)?;
    let folder = scratch.join("router-config");
    fs::create_dir(&folder)?;
    many(cli, &folder, scale, report).await?;
    hostile(cli, &folder, scale, report).await
}

/// One large file, checked by the library.
fn large(scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    let file = files::with_lines(LINES);
    let text = SourceFile::new("large.yml", file.as_bytes());
    let ours = || portcullis_router_config::check(&text, &CheckOptions::new());
    let theirs = || evaluate(&text, &Machine::new());
    ensure!(
        (ours().verdict, theirs().verdict) == (Verdict::Accept, Verdict::Accept),
        "the large file has a mistake: {:?}",
        ours().findings
    );
    let figure = |name, time| Figure::new(name, time, Unit::Milliseconds).target(LARGE);
    report.add(figure("router file of 5000 lines", time(scale, ours)));
    report.add(figure(
        "router file of 5000 lines, as OpenZiti",
        time(scale, theirs),
    ));
    Ok(())
}

/// Milliseconds of one run.
fn time<T>(scale: Scale, mut run: impl FnMut() -> T) -> f64 {
    let times = (0..scale.checks).map(|_| {
        let begin = Instant::now();
        black_box(run());
        begin.elapsed().as_secs_f64() * 1e3
    });
    median(&times.collect::<Vec<_>>())
}

/// Many files in one call.
async fn many(cli: &Path, folder: &Path, scale: Scale, report: &mut Report) -> anyhow::Result<()> {
    let names: Vec<String> = (0..FILES).map(|number| format!("r{number}.yml")).collect();
    for (number, name) in names.iter().enumerate() {
        fs::write(folder.join(name), files::small(number))?;
    }
    let check = Check::new(cli, folder, names);
    let time = check.milliseconds(scale.checks, Some(0)).await?;
    report.add(Figure::new("1000 router files, one call", time, Unit::Milliseconds).target(MANY));
    report.add(memory("memory, 1000 router files", check.peak().await?));
    Ok(())
}

/// Files that nobody should write, one call for each.
async fn hostile(
    cli: &Path,
    folder: &Path,
    scale: Scale,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut slowest, mut largest) = ((0.0, String::new()), (0, String::new()));
    for name in hostile::write(folder)? {
        for norm in ["portcullis", "openziti"] {
            let told = format!("{name}, as {norm}");
            let check = Check::new(cli, folder, vec![name.clone()]).by(norm);
            let time = check.milliseconds(scale.checks, None).await?;
            if time > slowest.0 {
                slowest = (time, told.clone());
            }
            let peak = check.peak().await?;
            if peak > largest.0 {
                largest = (peak, told);
            }
        }
    }
    say(&format!("slowest hostile file: {}", slowest.1))?;
    say(&format!("hostile file that takes most: {}", largest.1))?;
    report.add(
        Figure::new("slowest hostile router file", slowest.0, Unit::Milliseconds).target(HOSTILE),
    );
    report.add(memory("memory, hostile router files", largest.0));
    Ok(())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "memory lies far below the 2^52 bytes that a float holds"
)]
fn memory(name: &'static str, bytes: u64) -> Figure {
    Figure::new(name, bytes as f64 / MEBIBYTE, Unit::Mebibytes).target(MEMORY)
}
