//! For which operating systems there are checks of a type.

use super::{CheckKind, OsType};

/// A type of posture checks and the operating systems whose clients report what it asks.
///
/// It is shown to those who make checks and decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSupport {
    /// The type.
    pub kind: CheckKind,
    /// What it is called.
    pub name: &'static str,
    /// The systems, each with those of its versions that are worth a word.
    pub systems: &'static [(OsType, &'static [&'static str])],
}

/// Versions of Windows, like all of them sorted by bytes.
const WINDOWS: &[&str] = &["10", "2000", "7", "8", "Vista"];
const LINUX: &[&str] = &["4.14", "4.19", "5.4", "5.9"];
const MAC_OS: &[&str] = &["10.15", "11.0"];
const IOS: &[&str] = &["11", "12"];
const ANDROID: &[&str] = &["10", "11", "9"];

impl CheckSupport {
    /// Every type that is shown, sorted by its word on the wire. Checks of TOTP codes are not among
    /// them: they ask about no system.
    pub const ALL: [Self; 5] = [
        Self {
            kind: CheckKind::Domain,
            name: "Windows Domain Check",
            systems: &[(OsType::Windows, WINDOWS)],
        },
        Self {
            kind: CheckKind::Mac,
            name: "MAC Address Check",
            systems: &[
                (OsType::Android, ANDROID),
                (OsType::Linux, LINUX),
                (OsType::Windows, WINDOWS),
                (OsType::MacOs, MAC_OS),
            ],
        },
        Self {
            kind: CheckKind::Os,
            name: "Operating System Check",
            systems: &[
                (OsType::Android, ANDROID),
                (OsType::Linux, LINUX),
                (OsType::Windows, WINDOWS),
                (OsType::Ios, IOS),
                (OsType::MacOs, MAC_OS),
            ],
        },
        Self {
            kind: CheckKind::Process,
            name: "Process Check",
            systems: &[
                (OsType::Linux, LINUX),
                (OsType::Windows, WINDOWS),
                (OsType::MacOs, MAC_OS),
            ],
        },
        Self {
            kind: CheckKind::ProcessMulti,
            name: "Process Multi Check",
            systems: &[
                (OsType::Linux, &[]),
                (OsType::Windows, &[]),
                (OsType::MacOs, &[]),
            ],
        },
    ];

    /// The type whose word on the wire is `id`, if it is shown.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|support| support.kind.name() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_systems_and_versions_are_in_order_and_there_once() {
        let is_sorted = |words: &[&str]| words.is_sorted_by(|one, next| one < next);
        assert!(is_sorted(
            &CheckSupport::ALL.map(|support| support.kind.name())
        ));
        for support in CheckSupport::ALL {
            let systems: Vec<_> = support.systems.iter().map(|(system, _)| system).collect();
            assert!(systems.is_sorted_by(|one, next| one < next), "{support:?}");
            for (_, versions) in support.systems {
                assert!(is_sorted(versions), "{versions:?}");
            }
            assert_eq!(CheckSupport::find(support.kind.name()), Some(support));
        }
        assert_eq!(CheckSupport::find("MFA"), None);
        assert_eq!(CheckSupport::find("os"), None);
    }
}
