//! What clients report, as it comes in and as it is kept.

use crate::clock::Timestamp;
use crate::ids::PostureCheckId;
use std::collections::BTreeSet;
use std::sync::Arc;

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

/// Something that was reported, shared by those who quote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported<T> {
    /// The check for which the client said to report it.
    pub check: PostureCheckId,
    /// When it was reported.
    pub at: Timestamp,
    /// What was.
    pub value: Arc<T>,
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
}
