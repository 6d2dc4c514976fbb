//! Where the audit trail goes, and whether it is whole.

mod chain;
mod file;
mod place;
mod stream;

pub(crate) use chain::check;

use crate::logging;
use file::{Found, InStore};
use portcullis_app::App;
use portcullis_app::audit::{self, AuditSink};
use std::path::PathBuf;
use std::sync::Arc;
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

/// What the trail is written to, looked at and not yet touched.
#[derive(Debug)]
pub(crate) enum Destination {
    Stream,
    File(Box<Found>),
}

impl AuditTarget {
    /// Looks at what the trail is to be written to.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the file.
    pub(crate) fn find(&self) -> anyhow::Result<Destination> {
        Ok(match self {
            Self::File(path) => Destination::File(Box::new(Found::at(path)?)),
            Self::Stream => Destination::Stream,
        })
    }
}

impl Destination {
    /// Opens it for the trail of a controller.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the file.
    pub(crate) fn open(self, app: &App) -> anyhow::Result<Box<dyn AuditSink>> {
        Ok(match self {
            Self::File(found) => {
                let (trail, first) = audit::kept(app)?;
                let trail = trail.map(|trail| trail.to_string());
                let clock = Arc::clone(&app.env().clock);
                Box::new(found.resume(&InStore { trail, first }, clock)?)
            },
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
