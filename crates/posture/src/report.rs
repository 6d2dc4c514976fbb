//! What clients report is bounded and brought into one form.

use portcullis_domain::FieldError;
use portcullis_domain::posture::{Report, Statement};
use portcullis_domain::posture_check::bare_hex;

/// The member that is the larger part of it.
pub(crate) const fn member(report: &Report) -> &'static str {
    match report {
        Report::Os(_) => "version",
        Report::Domain(_) => "domain",
        Report::Mac(_) => "macAddresses",
        Report::Process { .. } => "path",
        Report::EndpointState { .. } => "typeId",
    }
}

/// Brings a report into the form in which it is kept.
///
/// # Errors
///
/// [`FieldError`] naming the member that is of absurd size. What it says is not repeated.
pub(crate) fn settle(mut statement: Statement) -> Result<Statement, FieldError> {
    bound("id", statement.check.as_str(), Report::LONGEST_TEXT)?;
    match &mut statement.report {
        Report::Os(os) => {
            bound("type", &os.kind, Report::LONGEST_TEXT)?;
            bound("version", &os.version, Report::LONGEST_TEXT)?;
            bound("build", &os.build, Report::LONGEST_TEXT)?;
        },
        Report::Domain(domain) => bound("domain", domain, Report::LONGEST_TEXT)?,
        Report::Mac(addresses) => {
            bound_all("macAddresses", &*addresses, Report::MOST_ADDRESSES)?;
            *addresses = addresses.iter().map(|text| bare_hex(text)).collect();
            addresses.sort_unstable();
            addresses.dedup();
        },
        Report::Process { path, process } => {
            bound("path", path, Report::LONGEST_PATH)?;
            bound("hash", &process.hash, Report::LONGEST_TEXT)?;
            let signers = &process.signers;
            bound_all("signerFingerprints", signers, Report::MOST_SIGNERS)?;
            process.hash = bare_hex(&process.hash);
            process.signers = signers.iter().map(|text| bare_hex(text)).collect();
        },
        Report::EndpointState { .. } => {},
    }
    Ok(statement)
}

/// Refuses a list of too many texts, or one with a text that is too long.
fn bound_all<'a, L>(field: &str, texts: L, most: usize) -> Result<(), FieldError>
where
    L: IntoIterator<Item = &'a String, IntoIter: ExactSizeIterator>,
{
    let texts = texts.into_iter();
    if texts.len() > most {
        let reason = format!("must have at most {most} items");
        return Err(FieldError::new(field, reason, texts.len().to_string()));
    }
    for (place, text) in texts.enumerate() {
        bound(&format!("{field}.{place}"), text, Report::LONGEST_TEXT)?;
    }
    Ok(())
}

fn bound(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    if text.len() <= most {
        return Ok(());
    }
    let reason = format!("must be at most {most} bytes long");
    let value = format!("{} bytes", text.len());
    Err(FieldError::new(field, reason, value))
}
