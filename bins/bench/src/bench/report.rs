//! The figures, as a table and as JSON.

mod series;

pub(super) use series::{Point, Series};

use super::work::Work;
use anyhow::{Context as _, ensure};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// What was measured.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    /// Processors that the load and the controller shared.
    cores: usize,
    /// How many programs wanted them just before; each of them took part of what was measured.
    load_before: f64,
    figures: Vec<Figure>,
    /// Figures of stores of several sizes.
    series: Vec<Series>,
}

const HEADER: [&str; 8] = [
    "Figure", "Measured", "/CPU-s", "Beside", "", "Ratio", "Target", "Met",
];

/// One figure.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Figure {
    name: Cow<'static, str>,
    value: f64,
    unit: Unit,
    /// How often per second of processor time.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_processor_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Beside>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_met: Option<bool>,
}

/// What a figure stands beside.
#[derive(Debug, Serialize, Deserialize)]
struct Beside {
    name: Cow<'static, str>,
    value: f64,
    /// The figure divided by it.
    ratio: f64,
}

/// Units of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unit {
    /// How often per second.
    #[serde(rename = "/s")]
    PerSecond,
    /// Seconds for 10^9 bytes.
    #[serde(rename = "s/GB")]
    SecondsPerGigabyte,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// 2^20 bytes.
    #[serde(rename = "MiB")]
    Mebibytes,
    /// 2^20 bytes per second.
    #[serde(rename = "MiB/s")]
    MebibytesPerSecond,
    /// 2^10 bytes.
    #[serde(rename = "KiB")]
    Kibibytes,
    /// Bytes.
    #[serde(rename = "bytes")]
    Bytes,
    /// How often the allocator was asked for memory.
    #[serde(rename = "allocations")]
    Allocations,
    /// How many of those that tried.
    #[serde(rename = "clients")]
    Clients,
    /// How many.
    #[serde(rename = "circuits")]
    Circuits,
    /// How many times as much.
    #[serde(rename = "times")]
    Times,
    /// A part of one.
    #[serde(rename = "of 1")]
    Probability,
}

/// What a figure should be (targets of the design, for two cores).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Target {
    /// This much or more.
    AtLeast(f64),
    /// Less than this.
    Below(f64),
    /// This part of what it stands beside, or more.
    RatioAtLeast(f64),
    /// This many times what it stands beside, or less.
    RatioAtMost(f64),
    /// This much or more per second of processor time.
    PerProcessorSecond(f64),
}

impl Report {
    /// A report without figures.
    pub(super) fn new() -> Self {
        Self {
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load_before: load_average().unwrap_or_default(),
            figures: Vec::new(),
            series: Vec::new(),
        }
    }

    /// Adds a figure.
    pub(super) fn add(&mut self, figure: Figure) {
        self.figures.push(figure);
    }

    /// Adds the figures of another report, which was [written](Self::write) to `file`.
    pub(super) fn add_written(&mut self, file: &Path) -> anyhow::Result<()> {
        #[derive(Deserialize)]
        struct Written {
            figures: Vec<Figure>,
        }
        let json = fs::read(file).with_context(|| format!("{} is needed", file.display()))?;
        let written: Written = serde_json::from_slice(&json)?;
        self.figures.extend(written.figures);
        Ok(())
    }

    /// Adds figures of several stores.
    pub(super) fn add_series(&mut self, series: Series) {
        self.series.push(series);
    }

    /// Writes the tables to the standard output.
    pub(super) fn print(&self) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        if !self.figures.is_empty() {
            writeln!(out, "{}", self.table())?;
        }
        if !self.series.is_empty() {
            writeln!(out, "{}", series::table(&self.series))?;
            writeln!(out, "{}", series::LEGEND)?;
        }
        writeln!(
            out,
            "Load and controller shared {} processors, over loopback: what the one takes the other \
             lacks.",
            self.cores
        )?;
        writeln!(
            out,
            "/CPU-s counts the processor time of the process that did the work, without its \
             clients."
        )?;
        writeln!(
            out,
            "Targets are those of the design for two processors; load average before the run: \
             {:.2}.",
            self.load_before
        )?;
        Ok(out.flush()?)
    }

    /// Writes the figures to `file`.
    pub(super) fn write(&self, file: &Path) -> anyhow::Result<()> {
        let json = serde_json::to_vec_pretty(self)?;
        fs::write(file, json).with_context(|| format!("{} cannot be written", file.display()))
    }

    /// Fails if a target is missed. What could not be judged, for want of what it stands beside, is not missed.
    pub(super) fn require_targets(&self) -> anyhow::Result<()> {
        let figures = self.figures.iter().map(|it| (&*it.name, it.is_met));
        let series = self.series.iter().map(|it| (it.name, it.is_met));
        let missed = figures
            .chain(series)
            .filter(|(_, is_met)| *is_met == Some(false));
        let names: Vec<_> = missed.map(|(name, _)| name).collect();
        ensure!(
            names.is_empty(),
            "missed their targets: {}",
            names.join("; ")
        );
        Ok(())
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table
            .load_preset(presets::UTF8_BORDERS_ONLY)
            .set_content_arrangement(ContentArrangement::Disabled)
            .set_header(HEADER);
        for column in [1, 2, 4, 5] {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for figure in &self.figures {
            table.add_row(figure.row());
        }
        table
    }
}

impl Figure {
    /// A figure that stands alone.
    pub(super) fn new(name: impl Into<Cow<'static, str>>, value: f64, unit: Unit) -> Self {
        Self {
            name: name.into(),
            value,
            unit,
            per_processor_second: None,
            beside: None,
            target: None,
            is_met: None,
        }
    }

    /// A rate, also by the server's processor time.
    pub(super) fn rate(name: &'static str, work: &Work) -> Self {
        Self {
            per_processor_second: Some(work.processor_rate()),
            ..Self::new(name, work.rate(), Unit::PerSecond)
        }
    }

    /// The server's processor time of each, which other programs hardly disturb.
    pub(super) fn processor_milliseconds(name: &'static str, work: &Work) -> Self {
        Self::new(name, work.processor_milliseconds(), Unit::Milliseconds)
    }

    /// Says how much it is per second of the servers' processor time.
    pub(super) fn per_processor_second(mut self, rate: f64) -> Self {
        self.per_processor_second = Some(rate);
        self
    }

    /// Puts it beside another, in the same unit.
    pub(super) fn beside(mut self, name: &'static str, value: f64) -> Self {
        let ratio = self.value / value;
        let name = name.into();
        self.beside = Some(Beside { name, value, ratio });
        self
    }

    /// Says what it should be; what it stands beside comes before.
    pub(super) fn target(mut self, target: Target) -> Self {
        self.is_met = match target {
            Target::AtLeast(least) => Some(self.value >= least),
            Target::Below(limit) => Some(self.value < limit),
            Target::RatioAtLeast(least) => self.beside.as_ref().map(|it| it.ratio >= least),
            Target::RatioAtMost(most) => self.beside.as_ref().map(|it| it.ratio <= most),
            Target::PerProcessorSecond(least) => self.per_processor_second.map(|it| it >= least),
        };
        self.target = Some(target);
        self
    }

    fn row(&self) -> [String; HEADER.len()] {
        let beside = self.beside.as_ref();
        [
            self.name.to_string(),
            format!("{} {}", number(self.value), self.unit.name()),
            self.per_processor_second.map_or_else(String::new, number),
            beside.map_or_else(String::new, |it| it.name.to_string()),
            beside.map_or_else(String::new, |it| number(it.value)),
            beside.map_or_else(String::new, |it| format!("{:.2}", it.ratio)),
            self.target.map_or_else(String::new, Target::words),
            met(self.is_met),
        ]
    }
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::SecondsPerGigabyte => "s/GB",
            Self::Milliseconds => "ms",
            Self::Mebibytes => "MiB",
            Self::MebibytesPerSecond => "MiB/s",
            Self::Kibibytes => "KiB",
            Self::Bytes => "bytes",
            Self::Allocations => "allocations",
            Self::Clients => "clients",
            Self::Circuits => "circuits",
            Self::Times => "times",
            Self::Probability => "of 1",
        }
    }
}

impl Target {
    fn words(self) -> String {
        match self {
            Self::AtLeast(least) => format!("≥ {}", number(least)),
            Self::Below(limit) => format!("< {}", number(limit)),
            Self::RatioAtLeast(least) => format!("ratio ≥ {least:.2}"),
            Self::RatioAtMost(most) => format!("ratio ≤ {most:.2}"),
            Self::PerProcessorSecond(least) => format!("≥ {} /CPU-s", number(least)),
        }
    }
}

fn met(is_met: Option<bool>) -> String {
    match is_met {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "",
    }
    .to_owned()
}

/// The first figure of `/proc/loadavg`: programs that ran or wanted to, over the last minute.
fn load_average() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

/// Three digits or more: what is beyond them differs from run to run.
fn number(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else if value >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_is_judged() {
        let figure = || Figure::new("x", 70.0, Unit::PerSecond).beside("y", 100.0);
        for (target, is_met) in [
            (Target::AtLeast(70.0), true),
            (Target::AtLeast(71.0), false),
            (Target::Below(71.0), true),
            (Target::Below(70.0), false),
            (Target::RatioAtLeast(0.7), true),
            (Target::RatioAtLeast(0.71), false),
            (Target::RatioAtMost(0.7), true),
            (Target::RatioAtMost(0.69), false),
        ] {
            assert_eq!(figure().target(target).is_met, Some(is_met), "{target:?}");
        }
    }

    #[test]
    fn ratio_without_a_companion_is_not_judged() {
        let figure = Figure::new("x", 70.0, Unit::PerSecond);
        assert_eq!(figure.target(Target::RatioAtLeast(0.7)).is_met, None);
    }

    #[test]
    fn missed_targets_are_an_error_that_names_them() {
        let report = |start: f64, p99: f64| {
            let mut report = Report::new();
            let unjudged = Figure::new("unjudged", 0.0, Unit::PerSecond);
            report.add(unjudged.target(Target::RatioAtLeast(1.0)));
            report.add(Figure::new("without target", 0.0, Unit::PerSecond));
            let start = Figure::new("start", start, Unit::Milliseconds);
            report.add(start.target(Target::Below(200.0)));
            let mut lists = Series::new("lists", Unit::Milliseconds).below(2.0, 1_000);
            lists.add(Point::of_times(10, 1.0, p99, 0.0));
            report.add_series(lists);
            report.require_targets().map_err(|error| error.to_string())
        };
        assert_eq!(report(199.0, 1.9), Ok(()));
        for (start, p99, missed) in [
            (200.0, 1.9, "start"),
            (199.0, 2.0, "lists"),
            (200.0, 2.0, "start; lists"),
        ] {
            let expected = format!("missed their targets: {missed}");
            assert_eq!(report(start, p99), Err(expected));
        }
    }

    #[test]
    fn json_names_what_it_shows() {
        let figure = Figure::new("x", 5.0, Unit::Mebibytes).target(Target::Below(20.0));
        assert_eq!(
            serde_json::to_value(figure).unwrap(),
            serde_json::json!({
                "name": "x", "value": 5.0, "unit": "MiB", "target": {"below": 20.0}, "isMet": true
            })
        );
    }
}
