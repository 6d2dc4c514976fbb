//! Operating systems supported by each check type.

use super::{CheckType, OsType};

/// A check type and the operating systems whose clients support it.
///
/// For display only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSupport {
    pub check_type: CheckType,
    /// Display name.
    pub name: &'static str,
    /// Systems with notable versions.
    pub systems: &'static [(OsType, &'static [&'static str])],
}

/// Sorted by bytes, like all version lists.
const WINDOWS: &[&str] = &["10", "2000", "7", "8", "Vista"];
const LINUX: &[&str] = &["4.14", "4.19", "5.4", "5.9"];
const MAC_OS: &[&str] = &["10.15", "11.0"];
const IOS: &[&str] = &["11", "12"];
const ANDROID: &[&str] = &["10", "11", "9"];

impl CheckSupport {
    /// All listed types, sorted by wire name. MFA checks are not listed, since they do not depend
    /// on the operating system.
    pub const ALL: [Self; 5] = [
        Self {
            check_type: CheckType::Domain,
            name: "Windows Domain Check",
            systems: &[(OsType::Windows, WINDOWS)],
        },
        Self {
            check_type: CheckType::Mac,
            name: "MAC Address Check",
            systems: &[
                (OsType::Android, ANDROID),
                (OsType::Linux, LINUX),
                (OsType::Windows, WINDOWS),
                (OsType::MacOs, MAC_OS),
            ],
        },
        Self {
            check_type: CheckType::Os,
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
            check_type: CheckType::Process,
            name: "Process Check",
            systems: &[
                (OsType::Linux, LINUX),
                (OsType::Windows, WINDOWS),
                (OsType::MacOs, MAC_OS),
            ],
        },
        Self {
            check_type: CheckType::ProcessMulti,
            name: "Process Multi Check",
            systems: &[
                (OsType::Linux, &[]),
                (OsType::Windows, &[]),
                (OsType::MacOs, &[]),
            ],
        },
    ];

    /// Finds a listed type by its wire name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|support| support.check_type.name() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_systems_and_versions_are_in_order_and_there_once() {
        let is_sorted = |words: &[&str]| words.is_sorted_by(|one, next| one < next);
        assert!(is_sorted(
            &CheckSupport::ALL.map(|support| support.check_type.name())
        ));
        for support in CheckSupport::ALL {
            let systems: Vec<_> = support.systems.iter().map(|(system, _)| system).collect();
            assert!(systems.is_sorted_by(|one, next| one < next), "{support:?}");
            for (_, versions) in support.systems {
                assert!(is_sorted(versions), "{versions:?}");
            }
            assert_eq!(CheckSupport::find(support.check_type.name()), Some(support));
        }
        assert_eq!(CheckSupport::find("MFA"), None);
        assert_eq!(CheckSupport::find("os"), None);
    }
}
