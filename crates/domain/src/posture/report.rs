//! Posture reports of clients.

use crate::clock::Timestamp;
use crate::ids::PostureCheckId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A report, and the check that the client made it for.
///
/// The check is for display only: a report applies to all checks, since clients report once what
/// several checks ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostureReport {
    pub check: PostureCheckId,
    pub report: Report,
}

/// A report about the device of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The operating system (`OS`).
    Os(OsInfo),
    /// The Windows domain (`DOMAIN`); empty for none.
    Domain(String),
    /// The MAC addresses of all interfaces (`MAC`), unnormalized.
    Mac(Vec<String>),
    /// A process (`PROCESS`).
    Process {
        /// Path of the binary as in the check; empty from old clients, which send only the check
        /// id.
        path: String,
        process: ProcessInfo,
    },
    /// A wake-up or unlock of the device (`ENDPOINT_STATE`).
    EndpointState { woken: bool, unlocked: bool },
}

/// An operating system as reported by a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OsInfo {
    /// OS type, case-insensitive.
    pub kind: String,
    pub version: String,
    pub build: String,
}

/// A process as reported by a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessInfo {
    pub is_running: bool,
    /// Hash of the binary; normalized to bare lower-case hex when recorded.
    pub hash: String,
    /// Fingerprints of the signers; normalized to bare lower-case hex when recorded.
    pub signers: BTreeSet<String>,
}

/// A reported value with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported<T> {
    /// The check named by the client.
    pub check: PostureCheckId,
    pub at: Timestamp,
    pub value: Arc<T>,
}

impl Report {
    pub const MAX_ADDRESSES: usize = 256;
    pub const MAX_SIGNERS: usize = 64;
    /// In bytes.
    pub const MAX_PATH_LENGTH: usize = 4096;
    /// For all other texts, in bytes.
    pub const MAX_TEXT_LENGTH: usize = 255;
}
