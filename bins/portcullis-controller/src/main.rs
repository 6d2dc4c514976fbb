//! The program `portcullis-controller`; everything it does stands in the library beside it.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Most of what a request allocates is freed by another thread than asked for it, which this allocator
/// does without a lock.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    portcullis_controller::main()
}
