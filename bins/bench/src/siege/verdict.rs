//! The limits that a siege has to leave kept.

use super::journal::{Operation, Record};
use super::sample::{Phase, Slice};
use crate::testbed::statistics::{float, mebibytes, milliseconds, percentile};
use std::process::ExitCode;

/// MiB that the controller may take in the siege beyond what it took before: the budgets for untaken
/// answers, bodies, heads and handshakes together.
const PEAK: f64 = 320.0;
/// MiB that it may keep when the attackers are gone.
const KEPT: f64 = 64.0;
/// MiB that the end of the siege may take beyond its middle: what grows on and on is a leak.
const GROWTH: f64 = 48.0;
/// Descriptors and threads that it may have more of afterwards than before.
const LEFT: f64 = 16.0;
/// MiB that attackers may write to the store.
const STORE: f64 = 32.0;
/// KiB that may be logged in a second of the siege.
const LOGGED: f64 = 256.0;
/// Milliseconds that 99 of 100 honest requests are answered within.
const P99: f64 = 1000.0;
/// Of a hundred honest requests, those that may be refused or fail.
const MISSED: f64 = 1.0;

/// One limit, and what was measured.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) name: String,
    pub(super) measured: f64,
    pub(super) limit: f64,
    pub(super) unit: &'static str,
}

impl Finding {
    pub(super) fn is_kept(&self) -> bool {
        self.measured <= self.limit
    }
}

/// All of them.
#[derive(Debug)]
pub(super) struct Verdict(pub(super) Vec<Finding>);

impl Verdict {
    /// Failure unless all limits are kept.
    pub(super) fn code(&self) -> ExitCode {
        if self.0.iter().all(Finding::is_kept) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

/// Judges a whole run, in which so many panics were logged.
pub(super) fn judge(slices: &[Slice], faults: u64) -> Verdict {
    let of = |phase| slices.iter().filter(move |it| it.phase == phase);
    let (Some(before), Some(after)) = (of(Phase::Before).next(), of(Phase::After).next()) else {
        return Verdict(Vec::new());
    };
    let siege: Vec<_> = of(Phase::Siege).collect();
    let mut findings = resources(before, &siege, after);
    findings.push(finding("panics", float(faults), 0.0, ""));
    for (place, operation) in Operation::ALL.into_iter().enumerate() {
        let mut record = Record::default();
        for other in siege.iter().filter_map(|slice| slice.records.get(place)) {
            record.add(other);
        }
        findings.extend(honest(operation, &record));
    }
    Verdict(findings)
}

fn resources(before: &Slice, siege: &[&Slice], after: &Slice) -> Vec<Finding> {
    let most = |slices: &[&Slice]| slices.iter().map(|it| it.peak).max().unwrap_or_default();
    let (first, second) = siege.split_at(siege.len() / 2);
    let more = |after: u64, before: u64| float(after) - float(before);
    let grown = |after, before| mebibytes(after) - mebibytes(before);
    let seconds: f64 = siege.iter().map(|it| it.length.as_secs_f64()).sum();
    let logged: u64 = siege.iter().map(|it| it.logged).sum();
    let written = siege.last().map_or(0, |last| last.store);
    vec![
        finding(
            "memory, siege",
            grown(most(siege), before.peak),
            PEAK,
            "MiB more",
        ),
        finding(
            "memory, second half of the siege",
            if first.is_empty() {
                0.0
            } else {
                grown(most(second), most(first))
            },
            GROWTH,
            "MiB more",
        ),
        finding(
            "memory, after",
            grown(after.resident, before.resident),
            KEPT,
            "MiB more",
        ),
        finding(
            "descriptors, after",
            more(after.descriptors, before.descriptors),
            LEFT,
            "more",
        ),
        finding(
            "threads, after",
            more(after.threads, before.threads),
            LEFT,
            "more",
        ),
        finding(
            "store, siege",
            grown(written, before.store),
            STORE,
            "MiB more",
        ),
        finding(
            "log, siege",
            float(logged) / 1024.0 / seconds.max(1e-9),
            LOGGED,
            "KiB/s",
        ),
    ]
}

fn honest(operation: Operation, record: &Record) -> [Finding; 2] {
    let count = u64::try_from(record.times.len()).unwrap_or_default();
    let missed = record.refused + record.failed;
    let name = operation.name();
    // An operation that nobody came to do in the whole siege is one that nobody could do.
    let (time, share) = if count == 0 {
        (f64::INFINITY, 100.0)
    } else {
        let time = milliseconds(percentile(&record.times, 99));
        (time, float(missed) * 100.0 / float(count))
    };
    [
        finding(&format!("{name}, p99"), time, P99, "ms"),
        finding(&format!("{name}, refused or failed"), share, MISSED, "%"),
    ]
}

fn finding(name: &str, measured: f64, limit: f64, unit: &'static str) -> Finding {
    Finding {
        name: name.to_owned(),
        measured,
        limit,
        unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::journal::Records;
    use std::time::Duration;

    const MIB: u64 = 1024 * 1024;

    /// A slice in which all is as it should be.
    fn slice(phase: Phase) -> Slice {
        let record = Record {
            times: vec![Duration::from_millis(5); 100],
            refused: 0,
            failed: 0,
        };
        Slice {
            phase,
            end: Duration::from_secs(1),
            length: Duration::from_secs(10),
            resident: 40 * MIB,
            peak: 40 * MIB,
            descriptors: 30,
            threads: 8,
            store: MIB,
            logged: 1000,
            records: Records::default().map(|_| record.clone()),
        }
    }

    /// The limits that are broken once `change` has been made to a good run.
    fn broken(change: impl FnOnce(&mut [Slice])) -> Vec<String> {
        let mut slices = [Phase::Before, Phase::Siege, Phase::Siege, Phase::After].map(slice);
        change(&mut slices);
        let findings = judge(&slices, 0).0.into_iter();
        findings
            .filter(|it| !it.is_kept())
            .map(|it| it.name)
            .collect()
    }

    #[test]
    fn good_run_keeps_all_limits() {
        assert_eq!(broken(|_| {}), Vec::<String>::new());
    }

    #[test]
    fn each_limit_can_be_broken() {
        assert_eq!(broken(|it| it[1].peak = 400 * MIB), ["memory, siege"]);
        assert_eq!(
            broken(|it| it[2].peak = 100 * MIB),
            ["memory, second half of the siege"]
        );
        assert_eq!(broken(|it| it[3].resident = 140 * MIB), ["memory, after"]);
        assert_eq!(broken(|it| it[3].descriptors = 60), ["descriptors, after"]);
        assert_eq!(broken(|it| it[3].threads = 60), ["threads, after"]);
        assert_eq!(broken(|it| it[2].store = 60 * MIB), ["store, siege"]);
        assert_eq!(broken(|it| it[1].logged = 60 * MIB), ["log, siege"]);
        let slow = Duration::from_secs(2);
        assert_eq!(
            broken(|it| it[1].records[4].times.resize(110, slow)),
            ["list, p99"]
        );
        assert_eq!(
            broken(|it| it[1].records[0].failed = 3),
            ["password login, refused or failed"]
        );
    }

    #[test]
    fn operation_that_never_came_to_an_end_is_a_failure() {
        let broken = broken(|it| {
            for slice in it {
                slice.records[5].times.clear();
            }
        });
        assert_eq!(broken, ["create, p99", "create, refused or failed"]);
    }

    #[test]
    fn panic_is_a_failure() {
        let slices = [Phase::Before, Phase::Siege, Phase::After].map(slice);
        assert_eq!(judge(&slices, 0).code(), ExitCode::SUCCESS);
        assert_eq!(judge(&slices, 1).code(), ExitCode::FAILURE);
    }
}
