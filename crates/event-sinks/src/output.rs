//! What events are written to.

mod backups;
mod file;

use crate::batch::Batch;
use crate::output::file::EventFile;
use portcullis_domain::clock::Clock;
use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// What a sink writes to.
pub enum SinkOutput {
    File(FileSettings),
    /// Standard output, or any other stream. It may block.
    Stream(Box<dyn Write + Send>),
}

/// A file of events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSettings {
    pub path: PathBuf,
    /// Size in bytes beyond which the file is renamed and a new one is begun.
    pub max_bytes: u64,
    /// Number of renamed files that are kept; `None` for all.
    pub max_backups: Option<usize>,
}

impl fmt::Debug for SinkOutput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(settings) => settings.fmt(formatter),
            Self::Stream(_) => formatter.write_str("Stream"),
        }
    }
}

/// An output that one thread uses.
pub(crate) enum OpenOutput {
    File(Box<EventFile>),
    Stream(Box<dyn Write + Send>),
}

impl OpenOutput {
    pub(crate) fn new(output: SinkOutput, clock: Arc<dyn Clock>) -> Self {
        match output {
            SinkOutput::File(settings) => Self::File(Box::new(EventFile::new(settings, clock))),
            SinkOutput::Stream(stream) => Self::Stream(stream),
        }
    }

    /// Writes what is left of the lines. It may block.
    ///
    /// # Errors
    ///
    /// When it could not write all of it; the batch knows how much.
    pub(crate) fn write(&mut self, batch: &mut Batch) -> io::Result<()> {
        match self {
            Self::File(file) => file.write(batch),
            Self::Stream(stream) => {
                while !batch.is_written() {
                    write_some(stream, batch, u64::MAX)?;
                }
                stream.flush()
            },
        }
    }

    /// Opens a file anew if it was moved away, so that whoever moved it can take it.
    ///
    /// # Errors
    ///
    /// When it cannot be opened; the next write tries again.
    pub(crate) fn reopen(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.reopen(),
            Self::Stream(_) => Ok(()),
        }
    }
}

/// Writes lines that fit in so many bytes, or a part of them, and returns how many bytes those were.
fn write_some(output: &mut impl Write, batch: &mut Batch, room: u64) -> io::Result<usize> {
    let count = match output.write(batch.lines_within(room)) {
        Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
        Ok(count) => count,
        Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
        Err(error) => return Err(error),
    };
    batch.advance(count);
    Ok(count)
}
