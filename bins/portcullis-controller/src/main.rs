//! The program `portcullis-controller`; everything it does stands in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    portcullis_controller::main()
}
