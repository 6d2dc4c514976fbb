//! Where the tokens of created identities go.

use super::file_name::FileNames;
use super::row::Row;
use crate::error::CliError;
use crate::files;
use clap::Args;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Disk space of a token in a file of its own: a block.
const BYTES_OF_FILE: u64 = 4096;

/// Output of the enrollment tokens.
#[derive(Debug, Clone, Args)]
#[group(multiple = false)]
pub(super) struct TokensArgs {
    /// Write each enrollment token to a new file of this directory, named after its identity
    #[arg(long, value_name = "DIR")]
    output_jwt_dir: Option<PathBuf>,

    /// Write all enrollment tokens to this new file: CSV if its name ends with .csv, otherwise JSON
    /// lines
    #[arg(long, value_name = "FILE")]
    output_jwt_file: Option<PathBuf>,
}

impl TokensArgs {
    /// Whether tokens are written.
    pub(super) fn is_given(&self) -> bool {
        self.output_jwt_dir.is_some() || self.is_one_file()
    }

    /// Whether they go to a common file, which must be new.
    pub(super) fn is_one_file(&self) -> bool {
        self.output_jwt_file.is_some()
    }

    /// Where the tokens go; the same for every run of the same command.
    pub(super) fn describe(&self) -> Option<String> {
        let path = self
            .output_jwt_dir
            .as_ref()
            .or(self.output_jwt_file.as_ref())?;
        let path = std::path::absolute(path).unwrap_or_else(|_odd| path.clone());
        Some(path.display().to_string())
    }

    /// Prepares the destination for the tokens of `rows`, and finds out what can be found out before
    /// anything is created: files that exist, directories that cannot be written, disks that are full.
    /// `progress` says what an earlier run has written.
    pub(super) fn prepare(
        &self,
        rows: &[Row],
        progress: &WrittenTokens,
    ) -> Result<TokenSink, CliError> {
        if let Some(directory) = &self.output_jwt_dir {
            TokenDirectory::prepare(directory, rows, progress).map(TokenSink::Directory)
        } else if let Some(path) = &self.output_jwt_file {
            TokenFile::prepare(path, rows, progress).map(TokenSink::File)
        } else {
            Ok(TokenSink::Discard)
        }
    }
}

/// What an earlier run has written.
#[derive(Debug, Default)]
pub(super) struct WrittenTokens {
    /// Whether there was an earlier run.
    pub(super) is_resumed: bool,
    /// Length of the common file.
    pub(super) file_bytes: u64,
    /// Number of rows, from the first, that may have been begun.
    pub(super) begun_rows: usize,
}

/// A prepared destination.
pub(super) enum TokenSink {
    Discard,
    Directory(TokenDirectory),
    File(TokenFile),
}

impl TokenSink {
    /// Whether tokens are wanted.
    pub(super) fn is_wanted(&self) -> bool {
        !matches!(self, Self::Discard)
    }

    /// Writes a token; returns the file of its own, if it has one.
    pub(super) fn write(&mut self, token: &NewToken<'_>) -> Result<Option<PathBuf>, CliError> {
        match self {
            Self::Discard => Ok(None),
            Self::Directory(directory) => directory.write(token).map(Some),
            Self::File(file) => file.write(token).map(|()| None),
        }
    }

    /// Makes durable what was written; returns the length of the common file.
    pub(super) fn sync(&mut self) -> Result<u64, CliError> {
        match self {
            Self::Discard | Self::Directory(_) => Ok(0),
            Self::File(file) => file.sync(),
        }
    }

    /// Whether the token of a created identity is missing or was cut off.
    pub(super) fn lacks(&self, line: u64, token_bytes: u64) -> bool {
        match self {
            Self::Discard | Self::File(_) => false,
            Self::Directory(directory) => {
                let found = directory
                    .file(line)
                    .and_then(|path| Some(fs::metadata(path).ok()?.len()));
                found != Some(token_bytes)
            },
        }
    }
}

/// A token to write.
pub(super) struct NewToken<'t> {
    pub(super) line: u64,
    pub(super) name: &'t str,
    pub(super) id: &'t str,
    pub(super) jwt: &'t SecretString,
    /// Whether an interrupted run may have written half of it.
    pub(super) is_again: bool,
}

/// A directory with a file for each token.
pub(super) struct TokenDirectory {
    path: PathBuf,
    /// File names by lines of the input.
    names: HashMap<u64, String>,
}

impl TokenDirectory {
    fn prepare(path: &Path, rows: &[Row], progress: &WrittenTokens) -> Result<Self, CliError> {
        if !path.is_dir() {
            let shown = path.display();
            return Err(if path.exists() {
                CliError::failed(format!("`{shown}` is not a directory"))
            } else {
                CliError::failed(format!("the directory `{shown}` does not exist")).hint(format!(
                    "create it with `mkdir {}`",
                    crate::shell::quote(&shown.to_string())
                ))
            });
        }
        let mut claimed = FileNames::default();
        let enrolling = rows.iter().filter(|row| row.has_token());
        let names = enrolling
            .map(|row| (row.line, claimed.claim(row.name())))
            .collect();
        let directory = Self {
            path: path.to_owned(),
            names,
        };
        let untouched = rows.get(progress.begun_rows..).unwrap_or_default();
        for row in untouched {
            let Some(file) = directory.file(row.line) else {
                continue;
            };
            if fs::symlink_metadata(&file).is_ok() {
                return Err(
                    CliError::failed(format!("{} already exists", file.display()))
                        .hint("choose another directory; token files are never overwritten"),
                );
            }
        }
        let needed =
            BYTES_OF_FILE.saturating_mul(u64::try_from(untouched.len()).unwrap_or(u64::MAX));
        try_space(path, needed).map_err(|error| write_error(path, error))?;
        Ok(directory)
    }

    fn file(&self, line: u64) -> Option<PathBuf> {
        Some(self.path.join(self.names.get(&line)?))
    }

    fn write(&self, token: &NewToken<'_>) -> Result<PathBuf, CliError> {
        // Each row with a token has a file name.
        let path = self.file(token.line).unwrap_or_else(|| self.path.clone());
        if token.is_again {
            let _ = fs::remove_file(&path);
        }
        let written = create_private(&path)
            .and_then(|mut file| file.write_all(token.jwt.expose_secret().as_bytes()));
        written.map(|()| path.clone()).map_err(|error| {
            // Half a token helps nobody.
            let _ = fs::remove_file(&path);
            write_error(&path, error)
        })
    }
}

/// A file with all tokens.
pub(super) struct TokenFile {
    path: PathBuf,
    file: File,
    is_csv: bool,
}

/// A line of it.
#[derive(Serialize)]
struct TokenLine<'t> {
    name: &'t str,
    id: &'t str,
    jwt: &'t str,
}

impl TokenFile {
    fn prepare(path: &Path, rows: &[Row], progress: &WrittenTokens) -> Result<Self, CliError> {
        let needed =
            BYTES_OF_FILE.saturating_mul(u64::try_from(rows.len()).unwrap_or(u64::MAX)) / 2;
        let is_csv = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let file = if progress.is_resumed {
            reopen(path, progress.file_bytes)?
        } else {
            try_space(files::parent_dir(path), needed).map_err(|error| write_error(path, error))?;
            create_private(path).map_err(|error| write_error(path, error))?
        };
        let mut sink = Self {
            path: path.to_owned(),
            file,
            is_csv,
        };
        if is_csv && progress.file_bytes == 0 {
            sink.write_bytes(b"name,id,jwt\n")?;
        }
        Ok(sink)
    }

    fn write(&mut self, token: &NewToken<'_>) -> Result<(), CliError> {
        let line = TokenLine {
            name: token.name,
            id: token.id,
            jwt: token.jwt.expose_secret(),
        };
        let text = if self.is_csv {
            let mut writer = csv::WriterBuilder::new()
                .has_headers(false)
                .from_writer(Vec::new());
            // Writing to memory cannot fail.
            let _ = writer.serialize(&line);
            writer.into_inner().unwrap_or_default()
        } else {
            let mut text = serde_json::to_vec(&line).unwrap_or_default();
            text.push(b'\n');
            text
        };
        self.write_bytes(&text)
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        self.file
            .write_all(bytes)
            .map_err(|error| write_error(&self.path, error))
    }

    fn sync(&mut self) -> Result<u64, CliError> {
        let length = self
            .file
            .sync_data()
            .and_then(|()| self.file.stream_position());
        length.map_err(|error| write_error(&self.path, error))
    }
}

/// Opens the common file of an earlier run, and drops what was written after its last record.
fn reopen(path: &Path, length: u64) -> Result<File, CliError> {
    let open = || {
        if length == 0 && !path.exists() {
            // Interrupted before it was created.
            return create_private(path).map(Some);
        }
        let mut file = File::options().write(true).open(path)?;
        if file.metadata()?.len() < length {
            return Ok(None);
        }
        file.set_len(length)?;
        file.seek(io::SeekFrom::End(0))?;
        Ok(Some(file))
    };
    let file = open().map_err(|error| write_error(path, error))?;
    file.ok_or_else(|| {
        CliError::failed(format!(
            "{} is shorter than the earlier run left it: tokens are missing in it",
            path.display()
        ))
    })
}

/// Creates a file with mode 0600; it must not exist.
fn create_private(path: &Path) -> io::Result<File> {
    files::private_options()
        .write(true)
        .create_new(true)
        .open(path)
}

/// Finds out whether so much can be written in a directory.
fn try_space(directory: &Path, bytes: u64) -> io::Result<()> {
    let mut file = tempfile::tempfile_in(directory)?;
    io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut file)?;
    file.flush()
}

fn write_error(path: &Path, error: io::Error) -> CliError {
    match error.kind() {
        io::ErrorKind::AlreadyExists => {
            CliError::failed(format!("{} already exists", path.display()))
                .hint("choose another file; token files are never overwritten")
        },
        io::ErrorKind::NotFound => files::missing_directory(path),
        _ => files::write_error(path, error),
    }
}
