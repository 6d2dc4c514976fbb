//! `audit`: work with files of the audit trail.

use crate::audit::check;
use crate::cli::AuditVerify;
use crate::output;
use anyhow::{Context as _, bail};
use std::fs::File;
use std::io::BufReader;
use std::process::ExitCode;

/// Checks the chain in a file, and says where it breaks.
pub(super) fn verify(arguments: &AuditVerify) -> anyhow::Result<ExitCode> {
    let name = arguments.file.display();
    let file = File::open(&arguments.file)
        .with_context(|| format!("the audit file {name} cannot be opened"))?;
    let checked = check(BufReader::new(file))
        .with_context(|| format!("the audit file {name} is not whole"))?;
    if checked.chain.lines == 0 {
        bail!("the audit file {name} is empty: what it held was removed, or it was never written");
    }
    output::say(format_args!(
        "{name}: {} lines follow from one another; the last committed event is number {}",
        checked.chain.lines, checked.chain.last_seq
    ));
    for note in &checked.notes {
        output::say(note);
    }
    if checked.is_torn {
        output::say("its last line is being written, or was written only in part");
    }
    Ok(ExitCode::SUCCESS)
}
