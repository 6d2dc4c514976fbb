//! Resolution of relative paths.

use std::path::{Path, PathBuf};

use portcullis_yaml::{Diagnostics, Field, Node, Section, SourceId};

/// A configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceText<'text> {
    pub text: &'text str,
    /// Folder of the file; an empty path for the working directory of the process.
    pub folder: &'text Path,
}

/// Value of the key `relativePaths`.
#[derive(Clone, Copy)]
enum PathBase {
    /// The default, as in OpenZiti.
    WorkingDirectory,
    File,
}

pub(crate) const KEY: &str = "relativePaths";

const WORDS: [(&str, PathBase); 2] = [
    ("file", PathBase::File),
    ("workingDirectory", PathBase::WorkingDirectory),
];

/// Base folder of the relative paths of each file. `relativePaths` in one file does not affect the
/// files that are merged over it.
#[derive(Debug, Default)]
pub(crate) struct BaseFolders(Vec<PathBuf>);

impl BaseFolders {
    pub(crate) fn push(&mut self, root: &Node, folder: &Path, diagnostics: &mut Diagnostics) {
        // A file that is not a map is reported elsewhere.
        let start = Section::root(root, &mut Diagnostics::default())
            .and_then(|section| section.get_non_null(KEY))
            .and_then(|field| field.one_of(&WORDS, diagnostics));
        self.0.push(match start {
            Some(PathBase::File) => folder.to_owned(),
            None | Some(PathBase::WorkingDirectory) => PathBuf::new(),
        });
    }

    /// Resolves `path`, which is part of the value of `field`.
    pub(crate) fn resolve(&self, field: &Field<'_>, path: &str) -> PathBuf {
        let SourceId(number) = field.node().location.source;
        match self.0.get(usize::from(number)) {
            Some(folder) => folder.join(path),
            None => path.into(),
        }
    }
}
