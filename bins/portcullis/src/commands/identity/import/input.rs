//! The file of identities as text.

use super::mistake::Mistake;
use crate::error::CliError;
use crate::files;
use clap::ValueEnum;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::path::Path;

/// Formats of files of identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FileFormat {
    /// Comma-separated values with a header row
    Csv,
    /// A JSON object on each line, with the member names of the API
    Jsonl,
}

/// A file of identities.
pub(super) struct InputFile {
    pub(super) text: String,
    pub(super) format: FileFormat,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub(super) digest: String,
}

impl InputFile {
    /// Reads a file, or standard input for `-`.
    pub(super) fn read(path: &Path, format: Option<FileFormat>) -> Result<Self, CliError> {
        let format = format.or_else(|| format_of(path)).ok_or_else(|| {
            CliError::usage("the format does not follow from the name of the file")
                .hint("pass `--format csv` or `--format jsonl`")
        })?;
        let bytes = files::read_bytes(path)?;
        let digest = digest(&bytes);
        let text = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + error
                .as_bytes()
                .iter()
                .take(valid)
                .filter(|byte| **byte == b'\n')
                .count();
            CliError::failed(format!(
                "`{}` is not valid UTF-8: the first invalid byte is in line {line}",
                path.display()
            ))
            .hint("save it as UTF-8, for example with `iconv -f latin1 -t utf8`")
        })?;
        // Spreadsheets begin UTF-8 with a byte order mark.
        let text = match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        };
        Ok(Self {
            text,
            format,
            digest,
        })
    }

    /// A mistake of the whole file if there is nothing in it.
    pub(super) fn check_not_empty(&self) -> Result<(), Mistake> {
        if self.text.trim().is_empty() {
            let wanted = match self.format {
                FileFormat::Csv => "a header row such as `name,role_attributes` is needed",
                FileFormat::Jsonl => "a JSON object for each identity is needed",
            };
            return Err(Mistake::in_line(1, format!("the file is empty; {wanted}")));
        }
        Ok(())
    }
}

fn format_of(path: &Path) -> Option<FileFormat> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "csv" => Some(FileFormat::Csv),
        "jsonl" | "ndjson" => Some(FileFormat::Jsonl),
        _ => None,
    }
}

/// SHA-256 in hexadecimal digits.
pub(super) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_follows_from_the_name() {
        for (name, format) in [
            ("a.csv", Some(FileFormat::Csv)),
            ("a.CSV", Some(FileFormat::Csv)),
            ("a.jsonl", Some(FileFormat::Jsonl)),
            ("a.ndjson", Some(FileFormat::Jsonl)),
            ("a.json", None),
            ("-", None),
        ] {
            assert_eq!(format_of(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn digests_are_written_in_hexadecimal_digits() {
        let digest = digest(b"abc");
        assert!(
            digest.starts_with("ba7816bf8f01cfea") && digest.len() == 64,
            "{digest}"
        );
    }
}
