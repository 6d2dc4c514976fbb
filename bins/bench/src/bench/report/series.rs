//! Figures of stores of several sizes, and how they grow.

use super::{Target, Unit, met, number};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;
use std::collections::BTreeSet;

/// What the columns of the table mean.
pub(super) const LEGEND: &str = "\
Columns are numbers of identities; two times are the median and the 99th percentile of requests,
one after another or of as many clients as it says. Growth is the ratio of the (median) value to
that of the next smaller store; in the smallest store a rare condition leaves pages short. CPU is
the controller's for one request, in the largest store.";

/// A figure of several stores.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::bench) struct Series {
    pub(super) name: &'static str,
    unit: Unit,
    /// The smallest store first.
    points: Vec<Point>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Bound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_met: Option<bool>,
}

/// The figure of one store.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::bench) struct Point {
    identities: u64,
    /// The value; the median if there are many.
    value: f64,
    /// The value that 99 of 100 do not exceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    p99: Option<f64>,
    /// Processor time of the controller.
    #[serde(skip_serializing_if = "Option::is_none")]
    processor_milliseconds: Option<f64>,
    /// Whether the controller refused to go on, after this time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_refused: bool,
}

/// A target for stores up to a size.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Bound {
    #[serde(flatten)]
    target: Target,
    up_to: u64,
}

impl Point {
    /// A single value.
    pub(in crate::bench) fn new(identities: u64, value: f64) -> Self {
        Self {
            identities,
            value,
            p99: None,
            processor_milliseconds: None,
            is_refused: false,
        }
    }

    /// The value is the time until the controller refused to go on.
    pub(in crate::bench) fn refused(self) -> Self {
        Self {
            is_refused: true,
            ..self
        }
    }

    /// Times of many requests.
    pub(in crate::bench) fn of_times(
        identities: u64,
        median: f64,
        p99: f64,
        processor_milliseconds: f64,
    ) -> Self {
        Self {
            p99: Some(p99),
            processor_milliseconds: Some(processor_milliseconds),
            ..Self::new(identities, median)
        }
    }

    /// Times of many requests, of which nobody knows what the controller took for each.
    pub(in crate::bench) fn of_latencies(identities: u64, median: f64, p99: f64) -> Self {
        Self {
            p99: Some(p99),
            ..Self::new(identities, median)
        }
    }

    fn worst(&self) -> f64 {
        self.p99.unwrap_or(self.value)
    }
}

impl Series {
    /// A figure of no store yet.
    pub(in crate::bench) fn new(name: &'static str, unit: Unit) -> Self {
        Self {
            name,
            unit,
            points: Vec::new(),
            target: None,
            is_met: None,
        }
    }

    /// Says below what it should be, for 99 of 100, in stores of up to so many identities.
    pub(in crate::bench) fn below(mut self, limit: f64, up_to: u64) -> Self {
        self.target = Some(Bound {
            target: Target::Below(limit),
            up_to,
        });
        self
    }

    /// Adds the figure of a store that is larger than those before.
    pub(in crate::bench) fn add(&mut self, point: Point) {
        if let Some(bound) = self.target
            && let Target::Below(limit) = bound.target
            && point.identities <= bound.up_to
        {
            self.is_met = Some(self.is_met.unwrap_or(true) && point.worst() < limit);
        }
        self.points.push(point);
    }

    fn row(&self, sizes: &BTreeSet<u64>) -> Vec<String> {
        let mut row = vec![format!("{}, {}", self.name, self.unit.name())];
        row.extend(sizes.iter().map(|size| self.cell(*size)));
        row.push(self.growth());
        let last = self.points.last();
        let processor = last.and_then(|point| point.processor_milliseconds);
        row.push(processor.map_or_else(String::new, number));
        row.push(self.target.map_or_else(String::new, |it| it.target.words()));
        row.push(met(self.is_met));
        row
    }

    fn cell(&self, size: u64) -> String {
        let at = self.points.iter().find(|point| point.identities == size);
        at.map_or_else(String::new, |point| match point.p99 {
            None if point.is_refused => format!("refused at {}", number(point.value)),
            Some(p99) => format!("{} / {}", number(point.value), number(p99)),
            None => number(point.value),
        })
    }

    fn growth(&self) -> String {
        let pairs = self.points.iter().zip(self.points.iter().skip(1));
        pairs
            .map(|(smaller, larger)| format!("×{}", number(larger.value / smaller.value)))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// One row for each.
pub(super) fn table(series: &[Series]) -> Table {
    let points = series.iter().flat_map(|series| &series.points);
    let sizes: BTreeSet<u64> = points.map(|point| point.identities).collect();
    let mut header = vec!["Stores of".to_owned()];
    header.extend(sizes.iter().map(|size| grouped(*size)));
    header.extend(["Growth", "CPU, ms", "Target", "Met"].map(str::to_owned));
    let mut table = Table::new();
    table
        .load_preset(presets::UTF8_BORDERS_ONLY)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    for column in 1..sizes.len() + 3 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for series in series {
        table.add_row(series.row(&sizes));
    }
    table
}

/// Digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[Point]) -> Series {
        let mut series = Series::new("x", Unit::Milliseconds).below(2.0, 1_000);
        for point in points {
            series.add(point.clone());
        }
        series
    }

    #[test]
    fn target_holds_for_stores_up_to_its_size() {
        for (points, is_met) in [
            (vec![], None),
            (vec![Point::of_times(10, 1.0, 1.9, 0.0)], Some(true)),
            (vec![Point::of_times(10, 1.0, 2.0, 0.0)], Some(false)),
            (
                vec![Point::new(10, 3.0), Point::new(1_000, 1.0)],
                Some(false),
            ),
            (
                vec![Point::new(10, 1.0), Point::new(1_001, 3.0)],
                Some(true),
            ),
        ] {
            assert_eq!(series(&points).is_met, is_met, "{points:?}");
        }
    }

    #[test]
    fn growth_is_from_store_to_store() {
        let points = [(10, 2.0), (20, 3.0), (30, 6.0)].map(|(size, it)| Point::new(size, it));
        assert_eq!(series(&points).growth(), "×1.50 ×2.00");
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, expected) in [(7, "7"), (1_000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(grouped(number), expected);
        }
    }
}
