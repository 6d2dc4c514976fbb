//! Semantic versions.

use std::cmp::Ordering;

/// A version by Semantic Versioning 2.0.0.
///
/// Numbers have 64 bits, in pre-releases too. Versions compare by precedence (section 11), which
/// ignores build metadata.
#[derive(Debug, Clone)]
pub struct Version(semver::Version);

impl Version {
    /// Parses a version.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_domain::posture_check::Version;
    ///
    /// let release = Version::parse("10.0.19041").unwrap();
    /// assert!(Version::parse("10.0.19041-rc.1").unwrap() < release);
    /// assert_eq!(Version::parse("10.0.19041+build.7").unwrap(), release);
    /// assert!(Version::parse("10.0").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let version = semver::Version::parse(text).ok()?;
        let is_small = |part: &str| {
            let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
            part.is_empty() || !is_number || part.parse::<u64>().is_ok()
        };
        version
            .pre
            .split('.')
            .all(is_small)
            .then_some(Self(version))
    }

    pub(super) const fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp_precedence(&other.0)
    }
}
