//! Output file of an enrollment.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::identity_file::IdentityFile;
use std::path::{Path, PathBuf};

/// Disk space to reserve for a certificate chain.
const RESERVED_BYTES: usize = 16 * 1024;

/// Output path and overwrite mode.
#[derive(Debug, Clone)]
pub(super) struct OutputFile {
    pub(super) path: PathBuf,
    existing: Existing,
}

impl OutputFile {
    /// Uses the path `given`, or else derives it from the token file.
    pub(super) fn new(
        given: Option<&Path>,
        token: &Path,
        is_forced: bool,
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
        let existing = Existing::with_force(is_forced);
        Ok(Self { path, existing })
    }

    /// Prepares the file and reserves space for the certificate.
    pub(super) fn prepare(&self, draft: &IdentityFile) -> Result<PrivateFile, CliError> {
        let mut file = PrivateFile::prepare(&self.path, self.existing)?;
        file.reserve(draft.to_json()?.len() + RESERVED_BYTES)?;
        Ok(file)
    }
}
