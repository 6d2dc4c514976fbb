//! Files for recovery codes.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use clap::{ArgGroup, Args};
use secrecy::{ExposeSecret as _, SecretString};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Disk space to reserve, far more than a set of codes needs.
const RESERVED_BYTES: usize = 4 * 1024;

/// Output file of recovery codes.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("files").multiple(true))]
pub(super) struct SaveArgs {
    /// Also write the recovery codes to a new file that only you can read, one per line
    #[arg(long, value_name = "FILE", group = "files", value_parser = parse_file)]
    save_codes: Option<PathBuf>,

    /// Overwrite existing files; follows symbolic links, and writes to pipes and devices
    #[arg(long, requires = "files")]
    force: bool,
}

/// A prepared file for recovery codes.
pub(super) struct CodesFile {
    file: PrivateFile,
    path: PathBuf,
}

/// Parses a file path other than `-`.
pub(super) fn parse_file(text: &str) -> Result<PathBuf, String> {
    if text == "-" {
        return Err("it must be a file, not standard input or output".to_owned());
    }
    Ok(PathBuf::from(text))
}

impl SaveArgs {
    /// Whether to save the codes.
    pub(super) fn is_wanted(&self) -> bool {
        self.save_codes.is_some()
    }

    /// What to do with existing files.
    pub(super) fn existing(&self) -> Existing {
        Existing::with_force(self.force)
    }

    /// Prepares the file, so that an unwritable one is noticed before a code is spent.
    pub(super) fn prepare(&self) -> Result<Option<CodesFile>, CliError> {
        let Some(path) = &self.save_codes else {
            return Ok(None);
        };
        let mut file = PrivateFile::prepare(path, self.existing())?;
        file.reserve(RESERVED_BYTES)?;
        Ok(Some(CodesFile {
            file,
            path: path.clone(),
        }))
    }
}

impl CodesFile {
    /// Writes the codes. If that fails, the error names the file that they were saved to instead.
    pub(super) fn save(self, codes: &[SecretString]) -> Result<PathBuf, CliError> {
        let length = codes
            .iter()
            .map(|code| code.expose_secret().len() + 1)
            .sum();
        let mut text = Zeroizing::new(String::with_capacity(length));
        for code in codes {
            text.push_str(code.expose_secret());
            text.push('\n');
        }
        self.file.finish_or_preserve(text.as_bytes())?;
        Ok(self.path)
    }
}
