//! Text form of processes: `SYSTEM:PATH[,hash=HEX][,signer=HEX]`.

use crate::commands::posture_check::os;
use portcullis_api::posture_check::{ProcessDefinition, ProcessMultiDefinition};
use portcullis_domain::posture_check::{CheckedProcess, Fingerprints, ProcessPath};

const HASH: &str = "hash=";
const SIGNER: &str = "signer=";

/// Parses a process: `SYSTEM:PATH`, followed by comma-separated hashes and signers.
pub(super) fn parse(text: &str) -> Result<CheckedProcess, String> {
    let missing = || "a process has the form `SYSTEM:PATH`".to_owned();
    let (system, rest) = text.split_once(':').ok_or_else(missing)?;
    let os_type = os::parse_os_name(system.trim())?;
    let (path, more) = split_path(rest);
    let of = |mark: &str| -> Vec<String> {
        let values = more.iter().filter_map(|word| word.strip_prefix(mark));
        values.map(str::to_owned).collect()
    };
    let prints = |name: &str, mark: &str| {
        Fingerprints::new(name, of(mark)).map_err(|error| format!("{error}: {}", error.value))
    };
    Ok(CheckedProcess {
        os_type,
        path: ProcessPath::new("path", path).map_err(|error| error.to_string())?,
        hashes: prints("hash", HASH)?,
        signers: prints("signer", SIGNER)?,
    })
}

/// Splits off the hashes and signers; the path itself may contain commas.
fn split_path(text: &str) -> (&str, Vec<&str>) {
    let mut path = text;
    let mut more = Vec::new();
    while let Some((before, word)) = path.rsplit_once(',') {
        let word = word.trim();
        if !word.starts_with(HASH) && !word.starts_with(SIGNER) {
            break;
        }
        more.push(word);
        path = before;
    }
    (path, more)
}

/// Formats a process as in arguments.
fn format_process(
    system: &str,
    path: &str,
    hashes: impl IntoIterator<Item = impl AsRef<str>>,
    signers: impl IntoIterator<Item = impl AsRef<str>>,
) -> String {
    let mut text = format!("{system}:{path}");
    for (mark, value) in hashes
        .into_iter()
        .map(|hash| (HASH, hash.as_ref().to_owned()))
        .chain(
            signers
                .into_iter()
                .map(|signer| (SIGNER, signer.as_ref().to_owned())),
        )
    {
        text.push(',');
        text.push_str(mark);
        text.push_str(&value);
    }
    text
}

/// Formats the process of a single-process check.
pub(in crate::commands::posture_check) fn display_single(process: &ProcessDefinition) -> String {
    let hashes = process.hashes.iter().flatten();
    let signer = process.signer_fingerprint.iter();
    format_process(process.os_type.name(), &process.path, hashes, signer)
}

/// Formats a process of a multi-process check.
pub(in crate::commands::posture_check) fn display_multi(
    process: &ProcessMultiDefinition,
) -> String {
    let (hashes, signers) = (&process.hashes, &process.signer_fingerprints);
    format_process(process.os_type.name(), &process.path, hashes, signers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_written_as_they_are_read() {
        for text in [
            "Linux:/usr/sbin/clamd",
            "Windows:C:\\Program Files\\a, b\\guard.exe",
            "macOS:/x,hash=aa,hash=bb,signer=cc",
        ] {
            let process = parse(text).unwrap();
            assert_eq!(display_multi(&ProcessMultiDefinition::from(&process)), text);
        }
        let process = parse("linux: /x , signer=AA,hash=bb").unwrap();
        assert_eq!(
            (
                process.hashes.iter().count(),
                process.signers.iter().count()
            ),
            (1, 1)
        );
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (text, told) in [
            ("/usr/sbin/clamd", "`SYSTEM:PATH`"),
            (
                "BeOS:/x",
                "`BeOS` is not an operating system; use one of Android, Linux",
            ),
            ("Linux:", "path: must not be blank"),
            ("Linux:/x,hash=q", "hexadecimal digits: q"),
            ("Linux:/x,signer=", "signer.0: must not be blank"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
