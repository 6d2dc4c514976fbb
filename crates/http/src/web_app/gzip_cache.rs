//! Compressed files, each compressed once for all clients.

use super::folder::{Disk, OpenFile, Version};
use crate::compress;
use bytes::Bytes;
use std::collections::HashMap;
use std::path::PathBuf;
use tokio::sync::Mutex;

/// Longest file that is compressed, bytes; longer ones are sent as they are.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Bytes of compressed files that are kept, which a console takes a fraction of.
const MAX_KEPT_BYTES: usize = 32 * 1024 * 1024;

#[derive(Debug, Default)]
pub(super) struct GzipCache {
    /// Locked while a file is compressed: one at a time, and none twice.
    kept: Mutex<HashMap<PathBuf, (Version, Bytes)>>,
}

impl GzipCache {
    /// The file in compressed form; `None` if it is too long or empty, or has just changed.
    pub(super) async fn get(&self, disk: &Disk, file: &OpenFile) -> Option<Bytes> {
        let length = file.version.length;
        if length > MAX_FILE_BYTES {
            return None;
        }
        let mut kept = self.kept.lock().await;
        if let Some((version, gzip)) = kept.get(&file.path)
            && *version == file.version
        {
            return Some(gzip.clone());
        }
        let plain = Bytes::from(disk.read(file, 0..length).await.ok()?);
        let compressing = disk.run(move || Ok(compress::gzip(&plain)));
        let gzip = compressing.await.ok().flatten()?;
        let total: usize = kept.values().map(|(_, gzip)| gzip.len()).sum();
        if total + gzip.len() > MAX_KEPT_BYTES {
            kept.clear();
        }
        kept.insert(file.path.clone(), (file.version, gzip.clone()));
        Some(gzip)
    }
}
