//! A folder for one controller, its home and its logs.

use crate::controller::Launch;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where one controller lives, through all its starts.
///
/// The folder goes with the value, unless the test failed: then it stays, and the test says where.
#[derive(Debug)]
pub struct Site {
    folder: Option<TempDir>,
}

impl Site {
    /// Makes an empty one.
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

    /// A place for the files of clients.
    pub fn work(&self) -> PathBuf {
        self.folder().join("work")
    }

    /// A file of a client.
    pub fn file(&self, name: &str) -> PathBuf {
        self.work().join(name)
    }

    /// Where the logs of all starts go.
    pub fn log(&self) -> PathBuf {
        self.folder().join("controller.log")
    }

    /// Everything that the controller has printed and logged so far.
    pub fn logged(&self) -> String {
        fs::read_to_string(self.log()).unwrap_or_default()
    }

    /// Prepares a start of `quickstart` on this home.
    pub fn quickstart(&self) -> Launch<'_> {
        Launch::quickstart(self)
    }

    /// Prepares a start of `quickstart` that makes a home of its own and removes it.
    pub fn temporary(&self) -> Launch<'_> {
        Launch::temporary(self)
    }

    /// Prepares a start of `run` with a configuration file.
    pub fn run(&self, config: &Path) -> Launch<'_> {
        Launch::run(self, config)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take()
            && std::thread::panicking()
        {
            eprintln!("kept for a look: {}", folder.keep().display());
        }
    }
}
