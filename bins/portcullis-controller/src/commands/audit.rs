//! `audit`: work with files of the audit trail.

use crate::audit::verify_chain;
use crate::cli::AuditVerifyArgs;
use crate::output;
use anyhow::{Context as _, bail};
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

/// Verifies the chain in a file and reports the first invalid line.
pub(super) fn verify(arguments: &AuditVerifyArgs) -> anyhow::Result<ExitCode> {
    let name = arguments.file.display();
    let file = File::open(&arguments.file)
        .with_context(|| format!("the audit file {name} cannot be opened"))?;
    let checked = verify_chain(BufReader::new(file))
        .with_context(|| format!("the audit file {name} is not intact"))?;
    if checked.chain.lines == 0 {
        bail!("the audit file {name} is empty: its content was removed, or it was never written");
    }
    output::print_line(format_args!(
        "{name}: the chain of {} lines is intact; the last committed event is number {}",
        checked.chain.lines, checked.chain.last_seq
    ));
    for note in &checked.notes {
        output::print_line(note);
    }
    if checked.is_torn {
        output::print_line("its last line is incomplete or still being written");
    }
    Ok(ExitCode::SUCCESS)
}
