//! The operating system.

use portcullis_domain::posture::{OsInfo, Report};

/// The system, the version of its kernel, and the whole name of that.
pub(super) fn read() -> OsInfo {
    let system = rustix::system::uname();
    let text = |text: &std::ffi::CStr| text.to_string_lossy().into_owned();
    let release = text(system.release());
    OsInfo {
        kind: name(&text(system.sysname())),
        version: version(&release),
        build: release.chars().take(Report::MAX_TEXT_LENGTH / 4).collect(),
    }
}

/// The system as checks call it.
fn name(system: &str) -> String {
    match system {
        "Darwin" => "macOS".to_owned(),
        other => other.to_owned(),
    }
}

/// The three numbers that a release begins with. What distributions append would make it a pre-release, which
/// no range of versions contains.
fn version(release: &str) -> String {
    let numbers = release.split(['.', '-', '+', '_', ' ']);
    let numbers = numbers.map_while(|part| part.parse::<u32>().ok());
    let mut numbers: Vec<_> = numbers.take(3).map(|number| number.to_string()).collect();
    numbers.resize(3, "0".to_owned());
    numbers.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_three_numbers() {
        for (release, read) in [
            ("6.1.0-21-amd64", "6.1.0"),
            ("5.15.0-1053-aws", "5.15.0"),
            ("6.8.12_1", "6.8.12"),
            ("6.6.87.2-microsoft-standard-WSL2", "6.6.87"),
            ("6.10-rc1", "6.10.0"),
            ("23.5.0", "23.5.0"),
            ("odd", "0.0.0"),
        ] {
            assert_eq!(version(release), read, "{release}");
        }
    }

    #[test]
    fn system_is_named_as_in_checks() {
        let system = read();
        assert!(portcullis_domain::posture_check::OsType::from_client(&system.kind).is_some());
        assert!(portcullis_domain::posture_check::Version::parse(&system.version).is_some());
    }
}
