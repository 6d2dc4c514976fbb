//! The controller with counted allocations: for each line on stdin it prints the number and total size
//! of allocations since its start.
//!
//! It takes the arguments of the program. `cargo xtask bench --only allocations` runs it.

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use std::io::{self, BufRead as _, Write as _};
use std::process::ExitCode;
use std::thread;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    // Ends with the input.
    thread::spawn(report_counts);
    portcullis_controller::main()
}

/// A block that grows or shrinks counts like a new one, with the bytes that it grows by.
fn report_counts() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        line?;
        let stats = COUNTED.stats();
        let count = stats.allocations + stats.reallocations;
        writeln!(io::stdout(), "allocated {count} {}", stats.bytes_allocated)?;
    }
    Ok(())
}
