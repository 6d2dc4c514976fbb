//! Keeping recovery codes in a file.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use clap::{ArgGroup, Args};
use secrecy::{ExposeSecret as _, SecretString};
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Room for a set of codes: those of controllers are a fraction of this.
const ROOM: usize = 4 * 1024;

/// Where recovery codes are kept.
#[derive(Debug, Clone, Args)]
#[command(group = ArgGroup::new("files").multiple(true))]
pub(super) struct SaveArgs {
    /// Also write the recovery codes to a new file that only you can read, one per line
    #[arg(long, value_name = "FILE", group = "files", value_parser = file)]
    save_codes: Option<PathBuf>,

    /// Replace files that exist; a symbolic link is followed, and a pipe or a device is
    /// written into
    #[arg(long, requires = "files")]
    force: bool,
}

/// A file for recovery codes, prepared.
pub(super) struct Destination {
    file: PrivateFile,
    path: PathBuf,
}

/// Reads the name of a file.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    if text == "-" {
        return Err("it must be a file, not standard input or output".to_owned());
    }
    Ok(PathBuf::from(text))
}

impl SaveArgs {
    /// Whether the codes are to be kept.
    pub(super) fn is_wanted(&self) -> bool {
        self.save_codes.is_some()
    }

    /// What becomes of files that are there already.
    pub(super) fn existing(&self) -> Existing {
        if self.force {
            Existing::Replace
        } else {
            Existing::Keep
        }
    }

    /// Prepares the file, so that one that cannot be written is noticed before a code is spent.
    pub(super) fn prepare(&self) -> Result<Option<Destination>, CliError> {
        let Some(path) = &self.save_codes else {
            return Ok(None);
        };
        let mut file = PrivateFile::prepare(path, self.existing())?;
        file.reserve(ROOM)?;
        Ok(Some(Destination {
            file,
            path: path.clone(),
        }))
    }
}

impl Destination {
    /// Writes the codes. If they do not come to their place, the failure says where they are.
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
        self.file.finish_or_keep(text.as_bytes())?;
        Ok(self.path)
    }
}
