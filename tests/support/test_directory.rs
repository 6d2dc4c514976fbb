//! Temporary folder for one controller, its home and its logs.

use crate::controller::ControllerBuilder;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Temporary folder of one controller across restarts.
///
/// The folder is removed on drop, unless the test failed: then it is kept and its path printed.
#[derive(Debug)]
pub struct TestDirectory {
    folder: Option<TempDir>,
}

impl TestDirectory {
    /// Creates an empty one.
    #[expect(clippy::new_without_default, reason = "making one writes to the disk")]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("portcullis-test-")
            .tempdir()
            .expect("a temporary folder can be made");
        fs::create_dir(folder.path().join("work")).expect("a folder can be made");
        Self {
            folder: Some(folder),
        }
    }

    /// The whole folder.
    pub fn folder(&self) -> &Path {
        self.folder
            .as_ref()
            .expect("the folder is there until the end")
            .path()
    }

    /// The home of the controller.
    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    /// Folder for the files of clients.
    pub fn work(&self) -> PathBuf {
        self.folder().join("work")
    }

    /// A file in the work folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.work().join(name)
    }

    /// Log of all starts.
    pub fn log(&self) -> PathBuf {
        self.folder().join("controller.log")
    }

    /// Everything that the controller has printed and logged so far.
    pub fn logged(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// Prepares `quickstart` with this home.
    pub fn quickstart(&self) -> ControllerBuilder<'_> {
        ControllerBuilder::quickstart(self)
    }

    /// Prepares `quickstart` with a temporary home of its own.
    pub fn temporary(&self) -> ControllerBuilder<'_> {
        ControllerBuilder::temporary(self)
    }

    /// Prepares `run` with a configuration file.
    pub fn run(&self, config: &Path) -> ControllerBuilder<'_> {
        ControllerBuilder::run(self, config)
    }
}

impl Drop for TestDirectory {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take()
            && std::thread::panicking()
        {
            eprintln!("test files kept in {}", folder.keep().display());
        }
    }
}
