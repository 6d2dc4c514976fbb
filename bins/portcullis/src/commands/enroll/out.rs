//! The identity file that an enrollment writes.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::identity_file::IdentityFile;
use std::path::{Path, PathBuf};

/// Room for a certificate with its intermediates.
const ROOM: usize = 16 * 1024;

/// Where the identity file goes.
#[derive(Debug, Clone)]
pub(super) struct Out {
    /// Its path.
    pub(super) path: PathBuf,
    existing: Existing,
}

impl Out {
    /// The file `given`, else one beside the file of the token.
    pub(super) fn new(
        given: Option<&Path>,
        token: &Path,
        is_replaced: bool,
    ) -> Result<Self, CliError> {
        let path = match given {
            Some(path) => path.to_owned(),
            None if token == Path::new("-") => {
                return Err(
                    CliError::usage("the identity file needs a name").hint("add `--out FILE`")
                );
            },
            None => token.with_extension("json"),
        };
        let existing = if is_replaced {
            Existing::Replace
        } else {
            Existing::Keep
        };
        Ok(Self { path, existing })
    }

    /// Makes room for the file and for a certificate that is still to come.
    pub(super) fn prepare(&self, draft: &IdentityFile) -> Result<PrivateFile, CliError> {
        let mut file = PrivateFile::prepare(&self.path, self.existing)?;
        file.reserve(draft.to_json()?.len() + ROOM)?;
        Ok(file)
    }
}
