//! What jemalloc writes of its memory in use: stacks of addresses, with the allocations that were sampled there.
//!
//! ```text
//! heap_v2/524288                      bytes between two samples, on average
//! @ 0x55d2c0 0x55d4f8                 a stack, the last call first
//!   t*: 2: 1048576 [0: 0]             allocations and bytes in use, and since the start
//! MAPPED_LIBRARIES:                   what follows is of no use here
//! ```
//!
//! Source: the manual page `jemalloc(3)`, "HEAP PROFILE FORMAT".

/// What is in use, by where it was allocated.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeapDump {
    /// Bytes between two samples, on average.
    pub(super) interval: u64,
    pub(super) stacks: Vec<AllocatingStack>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct AllocatingStack {
    /// To where calls return; the last call comes first.
    pub(super) addresses: Vec<usize>,
    /// About how many allocations are in use, not only those sampled.
    pub(super) allocations: u64,
    /// About how many bytes they have.
    pub(super) bytes: u64,
}

/// Text that is not a dump of jemalloc.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the allocator's dump is not one of {expected}")]
pub(super) struct HeapDumpError {
    line: usize,
    expected: &'static str,
}

impl HeapDump {
    pub(super) fn parse(text: &str) -> Result<Self, HeapDumpError> {
        let mut lines = text.lines().zip(1..);
        let interval = lines
            .next()
            .and_then(|(line, _)| line.strip_prefix("heap_v2/")?.parse().ok())
            .filter(|interval| *interval > 0);
        let Some(interval) = interval else {
            let expected = "`heap_v2/` with an interval";
            return Err(HeapDumpError { line: 1, expected });
        };
        let (mut stacks, mut addresses) = (Vec::new(), None);
        for (text, line) in lines {
            if text == "MAPPED_LIBRARIES:" {
                break;
            }
            if let Some(stack) = text.strip_prefix('@') {
                let expected = "a stack of addresses";
                let stack = stack.split_whitespace().map(parse_address).collect();
                addresses = Some(Option::ok_or(stack, HeapDumpError { line, expected })?);
            } else if let Some(counts) = text.trim_start().strip_prefix("t*:") {
                let expected = "`t*:` with allocations and bytes";
                let counts = parse_counts(counts).ok_or(HeapDumpError { line, expected })?;
                // The first counts are the sums of all stacks.
                if let Some(addresses) = addresses.take() {
                    let (allocations, bytes) = unsampled(counts, interval);
                    stacks.push(AllocatingStack {
                        addresses,
                        allocations,
                        bytes,
                    });
                }
            }
        }
        Ok(Self { interval, stacks })
    }
}

fn parse_address(text: &str) -> Option<usize> {
    usize::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Allocations and bytes in use, of ` 2: 1048576 [0: 0]`.
fn parse_counts(text: &str) -> Option<(u64, u64)> {
    let (allocations, rest) = text.split_once(':')?;
    let (bytes, _since_the_start) = rest.split_once('[')?;
    Some((allocations.trim().parse().ok()?, bytes.trim().parse().ok()?))
}

/// What was in all, of which these were sampled: an allocation of `n` bytes is, with the probability of
/// `1 - exp(-n / interval)`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "these are estimates"
)]
fn unsampled((allocations, bytes): (u64, u64), interval: u64) -> (u64, u64) {
    if allocations == 0 || bytes == 0 {
        return (0, 0);
    }
    let size = bytes as f64 / allocations as f64;
    let share = -(-size / interval as f64).exp_m1();
    let scaled = |count: u64| (count as f64 / share).round() as u64;
    (scaled(allocations), scaled(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUMP: &str = "heap_v2/524288\n  t*: 3: 1049600 [0: 0]\n  t0: 3: 1049600 [0: 0]\n\
        @ 0x1f 0x2a\n  t*: 2: 1048576 [0: 0]\n  t0: 2: 1048576 [0: 0]\n\
        @ 0x3\n  t*: 1: 1024 [0: 0]\n  t1: 1: 1024 [0: 0]\n\
        @ 0x4\n  t*: 0: 0 [5: 99]\n  t1: 0: 0 [5: 99]\n\n\
        MAPPED_LIBRARIES:\n@ not a stack\n";

    #[test]
    fn sampled_allocations_stand_for_all_of_their_size() {
        let dump = HeapDump::parse(DUMP).unwrap();
        assert_eq!(dump.interval, 524_288);
        let stacks: Vec<_> = dump
            .stacks
            .iter()
            .map(|stack| (&stack.addresses[..], stack.allocations, stack.bytes))
            .collect();
        // One of 512 KiB is sampled with a probability of 0.632, one of 1 KiB with 0.00195.
        let expected: [(&[usize], _, _); 3] = [
            (&[0x1f, 0x2a], 3, 1_658_823),
            (&[0x3], 513, 524_800),
            (&[0x4], 0, 0),
        ];
        assert_eq!(stacks, expected);
    }

    #[test]
    fn other_texts_are_refused_with_their_lines() {
        for (text, line) in [
            ("", 1),
            ("heap_v2/", 1),
            ("heap_v2/0", 1),
            ("heap profile: 1: 2", 1),
            ("heap_v2/9\n@ 0x1 2", 2),
            ("heap_v2/9\n@ 0xg", 2),
            ("heap_v2/9\n@ 0x1\n t*: 1", 3),
            ("heap_v2/9\n@ 0x1\n t*: 1: x [0: 0]", 3),
        ] {
            assert_eq!(HeapDump::parse(text).unwrap_err().line, line, "{text:?}");
        }
    }
}
