//! A file of events: appended to, rotated, and opened anew when others moved it.

use super::backups::Backups;
use super::{FileSettings, write_some};
use crate::batch::Batch;
use crate::log_interval::LOG_INTERVAL;
use portcullis_domain::clock::Clock;
use portcullis_domain::log_interval::LogInterval;
use portcullis_files::create_new;
use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Mode of a new file: its group may read it, to ship it elsewhere.
const MODE: u32 = 0o640;

/// A file that events are appended to. It is opened by the first write, and again whenever the path leads
/// elsewhere.
pub(crate) struct EventFile {
    settings: FileSettings,
    backups: Backups,
    clock: Arc<dyn Clock>,
    open: Option<OpenFile>,
    failures_logged: LogInterval,
}

struct OpenFile {
    file: File,
    /// Device and inode, which stay the same when the file is moved.
    id: (u64, u64),
    /// Whether it can grow too large, unlike a pipe or a device.
    is_regular: bool,
    size: u64,
}

impl EventFile {
    pub(crate) fn new(settings: FileSettings, clock: Arc<dyn Clock>) -> Self {
        Self {
            backups: Backups::of(&settings.path),
            settings,
            clock,
            open: None,
            failures_logged: LogInterval::new(LOG_INTERVAL),
        }
    }

    pub(crate) fn write(&mut self, batch: &mut Batch) -> io::Result<()> {
        self.look_at_path();
        if self.open.is_none() {
            // The start of a line is in the file that was moved away.
            batch.rewind_line();
        }
        let mut can_rotate = true;
        while !batch.is_written() {
            let max = self.settings.max_bytes;
            let open = self.open()?;
            let line = u64::try_from(batch.line_len()).unwrap_or(u64::MAX);
            let is_full = open.size > 0 && open.size.saturating_add(line) > max;
            if is_full && open.is_regular && batch.is_at_line_start() && can_rotate {
                can_rotate = self.rotate();
                continue;
            }
            let room = if open.is_regular && can_rotate {
                max.saturating_sub(open.size)
            } else {
                u64::MAX
            };
            let written = write_some(&mut open.file, batch, room)?;
            open.size += u64::try_from(written).unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) fn reopen(&mut self) -> io::Result<()> {
        let was_open = self.open.is_some();
        self.look_at_path();
        if was_open && self.open.is_none() {
            self.open()?;
            tracing::info!(
                file = %self.settings.path.display(),
                "the file of events was moved or removed, and is begun anew"
            );
        }
        Ok(())
    }

    /// Closes the file if its path now leads to another one, or to none, and otherwise sees how large it is:
    /// others may have truncated it.
    fn look_at_path(&mut self) {
        let Some(open) = &mut self.open else {
            return;
        };
        match fs::metadata(&self.settings.path) {
            Ok(found) if id(&found) == open.id => open.size = found.len(),
            Ok(_other) => self.open = None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.open = None,
            // Nobody can say where the path leads, so the open file goes on.
            Err(_) => {},
        }
    }

    fn open(&mut self) -> io::Result<&mut OpenFile> {
        let open = match self.open.take() {
            Some(open) => open,
            None => OpenFile::open(&self.settings.path)?,
        };
        Ok(self.open.insert(open))
    }

    /// Renames the file and begins a new one. Returns whether that worked: otherwise the file grows on.
    fn rotate(&mut self) -> bool {
        let path = &self.settings.path;
        let backup = self.backups.new_path(self.clock.now());
        let renamed = fs::rename(path, backup);
        let done = renamed.and_then(|()| {
            // It is opened by the next write.
            self.open = None;
            match self.settings.max_backups {
                Some(kept) => self.backups.remove_oldest(kept),
                None => Ok(()),
            }
        });
        if let Err(error) = &done
            && self.failures_logged.try_acquire(Instant::now()).is_some()
        {
            let file = path.display();
            tracing::warn!(%file, %error, "the file of events cannot be rotated, or old ones cannot be removed");
        }
        self.open.is_none()
    }
}

impl OpenFile {
    fn open(path: &Path) -> io::Result<Self> {
        let append = || File::options().append(true).open(path);
        let mut file = match append() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_new(path, MODE)?;
                append()?
            },
            opened => opened?,
        };
        let found = file.metadata()?;
        let mut size = found.len();
        if found.is_file() && size > 0 && !ends_with_line(path)? {
            // Whoever wrote it was stopped within a line.
            file.write_all(b"\n")?;
            size += 1;
        }
        Ok(Self {
            file,
            id: id(&found),
            is_regular: found.is_file(),
            size,
        })
    }
}

fn ends_with_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn id(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests;
