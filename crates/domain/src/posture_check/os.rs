//! Posture checks of the operating system.

use super::{VersionRange, validate_count};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Operating systems known to checks, in display order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OsType {
    Android,
    Linux,
    /// Windows for workstations.
    Windows,
    /// Windows for servers.
    WindowsServer,
    /// `iOS` and `iPadOS`.
    #[serde(rename = "iOS")]
    Ios,
    /// `macOS`.
    #[serde(rename = "macOS")]
    MacOs,
}

/// Requires one of several operating systems, optionally in certain versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OsCheck {
    systems: BTreeMap<OsType, BTreeSet<VersionRange>>,
}

impl OsType {
    pub const ALL: [Self; 6] = [
        Self::Android,
        Self::Linux,
        Self::Windows,
        Self::WindowsServer,
        Self::Ios,
        Self::MacOs,
    ];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Android => "Android",
            Self::Linux => "Linux",
            Self::Windows => "Windows",
            Self::WindowsServer => "WindowsServer",
            Self::Ios => "iOS",
            Self::MacOs => "macOS",
        }
    }

    /// Parses the member `field` of a definition.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` for an unknown name; names are case-sensitive.
    pub fn from_name(field: &str, name: &str) -> Result<Self, FieldError> {
        let found = Self::ALL.into_iter().find(|system| system.name() == name);
        found.ok_or_else(|| {
            let reason = "must be one of Windows, WindowsServer, Android, iOS, Linux, macOS";
            FieldError::new(field, reason, name)
        })
    }

    /// Finds the system reported by a client; case-insensitive.
    pub fn from_client(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|system| system.name().eq_ignore_ascii_case(name))
    }
}

impl OsCheck {
    /// Maximum number of version ranges per operating system.
    pub const MAX_VERSIONS: usize = 64;
    /// Maximum number of list items, including repetitions.
    const MAX_SYSTEMS: usize = 64;

    /// Parses the list `operatingSystems`: types with version ranges. The last entry of a repeated
    /// type counts.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `operatingSystems` when it is empty or too long, or on the invalid item,
    /// such as `operatingSystems.0.versions.1`.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_domain::posture_check::OsCheck;
    ///
    /// let systems = [("Linux", vec![]), ("Windows", vec![">=10.0.19041", ">=11"])];
    /// let error = OsCheck::new(systems).unwrap_err();
    /// assert_eq!(error.field, "operatingSystems.1.versions.1");
    /// ```
    pub fn new<T: Into<String>, V: Into<String>>(
        systems: impl IntoIterator<Item = (T, Vec<V>), IntoIter: ExactSizeIterator>,
    ) -> Result<Self, FieldError> {
        let systems = systems.into_iter();
        validate_count("operatingSystems", systems.len(), Self::MAX_SYSTEMS)?;
        let systems = systems.enumerate().map(|(place, (kind, versions))| {
            let field = format!("operatingSystems.{place}");
            let kind = OsType::from_name(&format!("{field}.type"), &kind.into())?;
            Ok((kind, parse_ranges(&format!("{field}.versions"), versions)?))
        });
        let systems = systems.collect::<Result<_, FieldError>>()?;
        Ok(Self { systems })
    }

    /// The accepted systems with their version ranges; an empty set accepts any version.
    pub fn systems(&self) -> impl Iterator<Item = (OsType, &BTreeSet<VersionRange>)> {
        self.systems.iter().map(|(kind, ranges)| (*kind, ranges))
    }

    /// The accepted versions of one system; `None` if the system is not accepted.
    pub fn versions(&self, system: OsType) -> Option<&BTreeSet<VersionRange>> {
        self.systems.get(&system)
    }

    pub(super) fn empty() -> Self {
        Self {
            systems: BTreeMap::new(),
        }
    }
}

fn parse_ranges<V: Into<String>>(
    field: &str,
    versions: Vec<V>,
) -> Result<BTreeSet<VersionRange>, FieldError> {
    if !versions.is_empty() {
        validate_count(field, versions.len(), OsCheck::MAX_VERSIONS)?;
    }
    let versions = versions.into_iter().enumerate();
    let read = |(place, text): (usize, V)| {
        let text: String = text.into();
        VersionRange::parse(text.as_str()).map_err(|error| {
            let shown: String = text.chars().take(VersionRange::MAX_LENGTH).collect();
            FieldError::new(format!("{field}.{place}"), error.to_string(), shown)
        })
    };
    versions.map(read).collect()
}
