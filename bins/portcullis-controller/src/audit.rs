//! Where the audit trail goes, and whether it is whole.

mod chain;
mod file;
mod stream;

pub(crate) use chain::check;

use crate::logging;
use file::AuditFile;
use portcullis_app::audit::AuditSink;
use portcullis_domain::clock::Timestamp;
use std::path::PathBuf;
use stream::{AuditStream, Discarded};

/// Where the audit trail is written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AuditTarget {
    /// Standard error, beside the log.
    #[default]
    Stream,
    /// A file of its own, as a chain of lines.
    File(PathBuf),
}

impl AuditTarget {
    /// Opens what the trail is written to.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the file.
    pub(crate) fn open(&self, now: Timestamp) -> anyhow::Result<Box<dyn AuditSink>> {
        Ok(match self {
            Self::File(path) => Box::new(AuditFile::open(path, now)?),
            Self::Stream if logging::audit_is_off() => {
                tracing::warn!(
                    "the audit trail is written nowhere, because --log says audit=off: name a file \
                     with --audit-file, or leave audit=off out"
                );
                Box::new(Discarded)
            },
            Self::Stream => Box::new(AuditStream::new()),
        })
    }
}
