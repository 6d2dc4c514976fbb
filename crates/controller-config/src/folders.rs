//! Where relative paths start.

use std::path::{Path, PathBuf};

use portcullis_yaml::{Diagnostics, Field, Node, Section, SourceId};

/// A configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceText<'text> {
    /// What stands in it.
    pub text: &'text str,
    /// The folder it stands in; an empty path for the working directory of the process.
    pub folder: &'text Path,
}

/// What the key `relativePaths` of a file says.
#[derive(Clone, Copy)]
enum Start {
    /// As in OpenZiti, and without the key.
    WorkingDirectory,
    File,
}

pub(crate) const KEY: &str = "relativePaths";

const WORDS: [(&str, Start); 2] = [
    ("file", Start::File),
    ("workingDirectory", Start::WorkingDirectory),
];

/// The start of the relative paths of each file. What one file says of its paths means nothing to
/// those of a file that is laid over it.
#[derive(Debug, Default)]
pub(crate) struct Folders(Vec<PathBuf>);

impl Folders {
    /// Adds the next file.
    pub(crate) fn add(&mut self, root: &Node, folder: &Path, diagnostics: &mut Diagnostics) {
        // A file that is no map is reported as a whole.
        let start = Section::root(root, &mut Diagnostics::default())
            .and_then(|section| section.get_non_null(KEY))
            .and_then(|field| field.one_of(&WORDS, diagnostics));
        self.0.push(match start {
            Some(Start::File) => folder.to_owned(),
            None | Some(Start::WorkingDirectory) => PathBuf::new(),
        });
    }

    /// Finds the file that `path` means, written as or in the value of `field`.
    pub(crate) fn find(&self, field: &Field<'_>, path: &str) -> PathBuf {
        let SourceId(number) = field.node().place.source;
        match self.0.get(usize::from(number)) {
            Some(folder) => folder.join(path),
            None => path.into(),
        }
    }
}
