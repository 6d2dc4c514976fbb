//! `audit`: work with files of the audit trail.

use crate::audit::{HashChain, VerifiedAuditChain, verify_chain};
use crate::cli::AuditVerifyArgs;
use crate::output;
use anyhow::{Context as _, bail};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

/// Verifies the chain in each file, and that each continues the one before it.
pub(super) fn verify(arguments: &AuditVerifyArgs) -> anyhow::Result<ExitCode> {
    let mut is_complete = true;
    let mut earlier: Option<(&Path, HashChain)> = None;
    for file in &arguments.files {
        let checked = verify_file(file)?;
        is_complete &= !checked.lacks_events();
        if let Some((before, chain)) = &earlier {
            if !checked.continues(chain) {
                bail!(
                    "the audit file {} does not continue {}: lines at the end of that one, or a file \
                     between them, are missing, or the order is not from old to new",
                    file.display(),
                    before.display()
                );
            }
            output::print_message(format_args!(
                "{}: it continues {}",
                file.display(),
                before.display()
            ));
        }
        earlier = Some((file, checked.chain));
    }
    if arguments.strict && !is_complete {
        bail!("events of the audit trail are missing, as shown above");
    }
    Ok(ExitCode::SUCCESS)
}

/// Verifies the chain in a file, and shows what is noteworthy about it.
fn verify_file(file: &Path) -> anyhow::Result<VerifiedAuditChain> {
    let name = file.display();
    if file.is_dir() {
        bail!("{name} is a directory; name the audit file in it");
    }
    let opened =
        File::open(file).with_context(|| format!("the audit file {name} cannot be opened"))?;
    let checked = verify_chain(BufReader::new(opened))
        .with_context(|| format!("the audit file {name} is not intact"))?;
    if checked.chain.lines == 0 {
        bail!("the audit file {name} is empty: its content was removed, or it was never written");
    }
    output::print_message(format_args!(
        "{name}: intact, {} lines; the last committed event is number {}",
        checked.chain.lines, checked.chain.last_seq
    ));
    for note in &checked.notes {
        output::print_message(note);
    }
    if checked.is_torn {
        output::print_message("its last line is incomplete or still being written");
    }
    Ok(checked)
}
