//! The program `portcullis-controller`; everything it does stands in the library beside it.

use mimalloc::MiMalloc;
use std::process::ExitCode;
use zeroizing_alloc::ZeroAlloc;

/// Wipes memory when it is freed: what requests bring passes through buffers of libraries that know
/// nothing of secrets. Most of it is freed by another thread than asked for it, which the allocator
/// beneath does without a lock.
#[global_allocator]
static ALLOCATOR: ZeroAlloc<MiMalloc> = ZeroAlloc(MiMalloc);

fn main() -> ExitCode {
    portcullis_controller::main()
}
