//! Output of the audit trail, and verification of its integrity.

mod chain;
mod file;
mod file_access;
mod stream;

pub(crate) use chain::{HashChain, VerifiedAuditChain, verify_chain};

pub(crate) use file::{AuditFileCondition, StoredTrail, examine};

use file::InspectedFile;
use portcullis_app::App;
use portcullis_app::audit::{self, AuditSink};
use std::path::PathBuf;
use std::sync::Arc;
use stream::AuditStream;

/// Destination of the audit trail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AuditDestination {
    /// Standard error, together with the log.
    #[default]
    Stream,
    /// A separate file with a hash chain of lines.
    File(PathBuf),
}

/// Destination of the trail, inspected but not yet modified.
#[derive(Debug)]
pub(crate) enum InspectedDestination {
    Stream,
    File(Box<InspectedFile>),
}

impl AuditDestination {
    /// Inspects the destination without modifying it.
    ///
    /// # Errors
    /// A message about the problem with the file.
    pub(crate) fn inspect(&self) -> anyhow::Result<InspectedDestination> {
        Ok(match self {
            Self::File(path) => InspectedDestination::File(Box::new(InspectedFile::inspect(path)?)),
            Self::Stream => InspectedDestination::Stream,
        })
    }
}

impl InspectedDestination {
    /// Opens the destination for the trail of a controller.
    ///
    /// # Errors
    /// A message about the problem with the file.
    pub(crate) fn open(self, app: &App) -> anyhow::Result<Box<dyn AuditSink>> {
        Ok(match self {
            Self::File(found) => {
                let (trail, first) = audit::find_trail(app)?;
                let trail = trail.map(|trail| trail.to_string());
                let clock = Arc::clone(&app.env().clock);
                Box::new(found.resume(&StoredTrail { trail, first }, clock)?)
            },
            Self::Stream => Box::new(AuditStream::new()),
        })
    }
}
