//! The disk.

use crate::bench::load::{Budget, Pace, Tally};
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Instant;

/// Writes a page to a file in `directory` and has it put on disk, again and again.
pub(in crate::bench) fn syncs(directory: &Path, budget: Budget) -> anyhow::Result<Tally> {
    let mut file = File::create(directory.join("syncs"))?;
    let pace = Pace::new(budget);
    let start = Instant::now();
    let mut done = 0;
    while let Some(turn) = pace.next() {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&[turn.to_le_bytes()[0]; 4096])?;
        file.sync_data()?;
        done += 1;
    }
    Ok(Tally {
        done,
        elapsed: start.elapsed(),
    })
}
