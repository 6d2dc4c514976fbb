//! Private keys created by `quickstart`, whether the configuration references them or not.

use super::folder_of;
use portcullis_controller_config::HomeLayout;
use std::path::{Path, PathBuf};

/// Keys of the home whose configuration is the first of the files; empty if it belongs to no home. They
/// were created for the controller alone, so no other program needs to read them.
#[derive(Debug, Default)]
pub(super) struct HomeKeys(Vec<PathBuf>);

impl HomeKeys {
    pub(super) fn from_files(files: &[&Path]) -> Self {
        let Some(first) = files.first() else {
            return Self::default();
        };
        let folder = folder_of(first);
        let layout = HomeLayout::under(&folder);
        let certificates = [&layout.cert, &layout.server_cert, &layout.signing_cert];
        let is_home = first.file_name() == layout.config.file_name()
            && certificates.iter().all(|file| file.exists());
        if !is_home {
            return Self::default();
        }
        let keys = [
            layout.key,
            layout.server_key,
            layout.signing_key,
            layout.root_key,
        ];
        Self(keys.into())
    }

    pub(super) fn contains(&self, file: &Path) -> bool {
        !self.0.is_empty() && file.canonicalize().is_ok_and(|file| self.0.contains(&file))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }
}
