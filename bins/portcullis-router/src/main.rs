//! The program `portcullis-router`, implemented by the library of this package.

use std::process::ExitCode;
use tikv_jemallocator::Jemalloc;

/// Not wiped when it is freed, unlike the controller's memory: all but keys, which wipe themselves, is what
/// the router carries, and most of that is encrypted between its ends.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    portcullis_router_program::main()
}
