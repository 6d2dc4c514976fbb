//! What clients report, as it comes in.

use portcullis_domain::FieldError;
use portcullis_domain::ids::PostureCheckId;
use portcullis_domain::posture_check::bare_hex;
use std::collections::BTreeSet;

/// One report, and the check for which the client says to make it.
///
/// The check is kept to be shown. It decides nothing: what a client reports once holds for all
/// checks, as clients report once what several ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The check.
    pub check: PostureCheckId,
    /// What is reported.
    pub report: Report,
}

/// What a client reports about its machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The operating system (`OS`).
    Os(Os),
    /// The Windows domain (`DOMAIN`); empty for none.
    Domain(String),
    /// The MAC addresses of all interfaces (`MAC`), as the client writes them.
    Mac(Vec<String>),
    /// A process (`PROCESS`).
    Process {
        /// Its binary, as the check writes it; empty from old clients, which name the check alone.
        path: String,
        /// What is to be known of it.
        process: Process,
    },
    /// What happened to the machine just now (`ENDPOINT_STATE`).
    EndpointState {
        /// Whether it woke up.
        woken: bool,
        /// Whether it was unlocked.
        unlocked: bool,
    },
}

/// An operating system, in the words of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Os {
    /// Its type, in any case.
    pub kind: String,
    /// Its version.
    pub version: String,
    /// Its build.
    pub build: String,
}

/// What a client says of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Process {
    /// Whether it runs.
    pub is_running: bool,
    /// The hash of its binary; once recorded, bare lower-case hex.
    pub hash: String,
    /// The fingerprints of its binary's signers; once recorded, bare lower-case hex.
    pub signers: BTreeSet<String>,
}

impl Report {
    /// Most MAC addresses.
    pub const MOST_ADDRESSES: usize = 256;
    /// Most signers of a binary.
    pub const MOST_SIGNERS: usize = 64;
    /// Longest path of a binary, bytes.
    pub const LONGEST_PATH: usize = 4096;
    /// Longest of all other texts, bytes.
    pub const LONGEST_TEXT: usize = 255;

    /// The member that is the larger part of it.
    pub(crate) const fn member(&self) -> &'static str {
        match self {
            Self::Os(_) => "version",
            Self::Domain(_) => "domain",
            Self::Mac(_) => "macAddresses",
            Self::Process { .. } => "path",
            Self::EndpointState { .. } => "typeId",
        }
    }
}

impl Statement {
    /// Brings it into the form in which it is kept.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that is of absurd size. What it says is not repeated.
    pub(crate) fn settle(mut self) -> Result<Self, FieldError> {
        bound("id", self.check.as_str(), Report::LONGEST_TEXT)?;
        match &mut self.report {
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
        Ok(self)
    }
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
