//! Checks of the operating system.

use super::{VersionRange, check_count};
use crate::FieldError;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Operating systems that checks tell apart, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum OsType {
    /// Android.
    Android,
    /// Linux.
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

/// Asks which operating system runs, and in which version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OsCheck {
    systems: BTreeMap<OsType, BTreeSet<VersionRange>>,
}

impl OsType {
    /// Every operating system.
    pub const ALL: [Self; 6] = [
        Self::Android,
        Self::Linux,
        Self::Windows,
        Self::WindowsServer,
        Self::Ios,
        Self::MacOs,
    ];

    /// The word on the wire.
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

    /// Reads the member `field` of a definition.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `field` when `name` is none, in exactly this case.
    pub fn from_name(field: &str, name: &str) -> Result<Self, FieldError> {
        let found = Self::ALL.into_iter().find(|system| system.name() == name);
        found.ok_or_else(|| {
            let reason = "must be one of Windows, WindowsServer, Android, iOS, Linux, macOS";
            FieldError::new(field, reason, name)
        })
    }

    /// The system that a client calls `name`, in any case.
    pub fn of_client(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|system| system.name().eq_ignore_ascii_case(name))
    }
}

impl OsCheck {
    /// Most ranges of versions of one operating system.
    pub const MOST_VERSIONS: usize = 64;
    /// Most items of a list of operating systems, repetitions included.
    const MOST_SYSTEMS: usize = 64;

    /// Reads the list `operatingSystems`: types, each with ranges of versions. Where a type is
    /// repeated, the last one counts.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `operatingSystems` when it is empty or too long, or on the item at fault,
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
        check_count("operatingSystems", systems.len(), Self::MOST_SYSTEMS)?;
        let systems = systems.enumerate().map(|(place, (kind, versions))| {
            let field = format!("operatingSystems.{place}");
            let kind = OsType::from_name(&format!("{field}.type"), &kind.into())?;
            Ok((kind, ranges(&format!("{field}.versions"), versions)?))
        });
        let systems = systems.collect::<Result<_, FieldError>>()?;
        Ok(Self { systems })
    }

    /// The systems, each with the ranges of versions that will do; none for any version.
    pub fn systems(&self) -> impl Iterator<Item = (OsType, &BTreeSet<VersionRange>)> {
        self.systems.iter().map(|(kind, ranges)| (*kind, ranges))
    }

    /// The versions of one system that will do; `None` if the system itself will not.
    pub fn versions(&self, system: OsType) -> Option<&BTreeSet<VersionRange>> {
        self.systems.get(&system)
    }

    pub(super) fn blank() -> Self {
        Self {
            systems: BTreeMap::new(),
        }
    }
}

fn ranges<V: Into<String>>(
    field: &str,
    versions: Vec<V>,
) -> Result<BTreeSet<VersionRange>, FieldError> {
    if !versions.is_empty() {
        check_count(field, versions.len(), OsCheck::MOST_VERSIONS)?;
    }
    let versions = versions.into_iter().enumerate();
    let read = |(place, text): (usize, V)| {
        let text: String = text.into();
        VersionRange::parse(text.as_str()).map_err(|error| {
            let shown: String = text.chars().take(VersionRange::LONGEST).collect();
            FieldError::new(format!("{field}.{place}"), error.to_string(), shown)
        })
    };
    versions.map(read).collect()
}
