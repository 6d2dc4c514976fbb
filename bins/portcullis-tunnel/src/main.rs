//! The program `portcullis-tunnel`, implemented by the library of this package.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Not wiped when it is freed, unlike the controller's memory: all but keys, which wipe themselves, is what the
/// tunneler carries.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    portcullis_tunnel_program::main()
}
