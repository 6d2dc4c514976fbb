//! The tables of a siege.

use super::attack::Attacker;
use super::journal::{Operation, Record};
use super::sample::Slice;
use super::verdict::{Finding, Verdict};
use crate::testbed::statistics::{float, mebibytes, milliseconds, percentile};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::fmt::Write as _;
use std::io::Write as _;

/// Writes all of it to the standard output.
pub(super) fn print(
    slices: &[Slice],
    attackers: &[Attacker],
    verdict: &Verdict,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", table(RESOURCES, 2, slices.iter().map(resources)))?;
    let names = Operation::ALL.map(Operation::name);
    let header: Vec<_> = ["At", "Phase"].into_iter().chain(names).collect();
    writeln!(out, "{}", table(&header, 2, slices.iter().map(honest)))?;
    writeln!(
        out,
        "Honest clients: median / p99 in ms of so many requests; R refused (429, 503), F failed."
    )?;
    writeln!(
        out,
        "{}",
        table(ATTACKERS, 1, attackers.iter().map(attacker))
    )?;
    writeln!(out, "{}", table(LIMITS, 1, verdict.0.iter().map(limit)))?;
    Ok(out.flush()?)
}

const RESOURCES: &[&str] = &[
    "At",
    "Phase",
    "RSS MiB",
    "Peak MiB",
    "Descriptors",
    "Threads",
    "Store MiB",
    "Log KiB/s",
];
const ATTACKERS: &[&str] = &["Attack", "From", "Sent", "Broken off"];
const LIMITS: &[&str] = &["Limit", "Measured", "At most", "", "Kept"];

fn table(header: &[&str], words: usize, rows: impl Iterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn resources(slice: &Slice) -> Vec<String> {
    let log = float(slice.logged) / 1024.0 / slice.length.as_secs_f64();
    vec![
        time(slice),
        slice.phase.name().to_owned(),
        format!("{:.0}", mebibytes(slice.resident)),
        format!("{:.0}", mebibytes(slice.peak)),
        slice.descriptors.to_string(),
        slice.threads.to_string(),
        format!("{:.1}", mebibytes(slice.store)),
        format!("{log:.1}"),
    ]
}

fn honest(slice: &Slice) -> Vec<String> {
    [time(slice), slice.phase.name().to_owned()]
        .into_iter()
        .chain(slice.records.iter().map(record))
        .collect()
}

/// Such as `12 / 340 of 57, 2 R, 1 F`.
fn record(record: &Record) -> String {
    let at = |of_hundred| milliseconds(percentile(&record.times, of_hundred));
    let mut text = format!("{:.0} / {:.0} of {}", at(50), at(99), record.times.len());
    for (count, mark) in [(record.refused, 'R'), (record.failed, 'F')] {
        if count > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {count} {mark}");
        }
    }
    text
}

fn attacker(attacker: &Attacker) -> Vec<String> {
    vec![
        attacker.name.clone(),
        attacker.source.to_string(),
        attacker.sent.to_string(),
        attacker.broken_off.to_string(),
    ]
}

fn limit(finding: &Finding) -> Vec<String> {
    vec![
        finding.name.clone(),
        format!("{:.1}", finding.measured),
        format!("{:.0}", finding.limit),
        finding.unit.to_owned(),
        if finding.is_kept() { "yes" } else { "NO" }.to_owned(),
    ]
}

fn time(slice: &Slice) -> String {
    let seconds = slice.end.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn record_tells_of_misses_only_if_there_are_some() {
        let mut got = Record {
            times: [1, 2, 30].map(Duration::from_millis).to_vec(),
            refused: 0,
            failed: 0,
        };
        assert_eq!(record(&got), "2 / 30 of 3");
        got.failed = 2;
        assert_eq!(record(&got), "2 / 30 of 3, 2 F");
        got.refused = 1;
        assert_eq!(record(&got), "2 / 30 of 3, 1 R, 2 F");
    }
}
