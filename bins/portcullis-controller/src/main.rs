//! The program `portcullis-controller`, implemented by the library of this package.

use mimalloc::MiMalloc;
use std::process::ExitCode;
use zeroizing_alloc::ZeroAlloc;

/// Zeroes memory when it is freed, because secrets of requests pass through buffers of libraries. Most
/// memory is freed by another thread than the one that allocated it, which mimalloc does without a
/// lock.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    portcullis_controller::main()
}
