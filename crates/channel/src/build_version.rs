//! Software version of a peer, as announced in a hello.

use std::env::consts;
use std::fmt;
use std::str::FromStr;

/// The value of header [`VERSION`](crate::headers::key::VERSION): `version|revision|build
/// date|os|arch`.
///
/// ```
/// use portcullis_channel::BuildVersion;
///
/// let version: BuildVersion = "v2.1.0|a1b2c3|2026-01-01T00:00:00Z|linux|amd64".parse()?;
/// assert_eq!(version.version, "v2.1.0");
/// assert!("v2.1.0|linux".parse::<BuildVersion>().is_err());
/// # Ok::<(), portcullis_channel::BuildVersionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildVersion {
    /// With a leading `v`. `v0.0.0` counts as newer than any other.
    pub version: String,
    /// Source revision.
    pub revision: String,
    /// In no particular format.
    pub build_date: String,
    /// Operating system.
    pub os: String,
    /// Processor architecture.
    pub arch: String,
}

impl BuildVersion {
    /// The version of a program on this computer.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_channel::BuildVersion;
    ///
    /// let own = BuildVersion::of_program("v2.1.0", "a1b2c3", "2026-01-01T00:00:00Z");
    /// assert_eq!(own.os, std::env::consts::OS);
    /// ```
    pub fn of_program(version: &str, revision: &str, build_date: &str) -> Self {
        Self {
            version: version.to_owned(),
            revision: revision.to_owned(),
            build_date: build_date.to_owned(),
            os: consts::OS.to_owned(),
            arch: consts::ARCH.to_owned(),
        }
    }
}

/// A text is not a version header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{found} fields; a version is version|revision|build date|os|arch")]
pub struct BuildVersionError {
    /// Number of fields found.
    pub found: usize,
}

impl FromStr for BuildVersion {
    type Err = BuildVersionError;

    /// Requires exactly five fields, as peers do.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fields: Vec<String> = text.split('|').map(str::to_owned).collect();
        let found = fields.len();
        let [version, revision, build_date, os, arch] =
            <[String; 5]>::try_from(fields).map_err(|_fields| BuildVersionError { found })?;
        Ok(Self {
            version,
            revision,
            build_date,
            os,
            arch,
        })
    }
}

impl fmt::Display for BuildVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            version,
            revision,
            build_date,
            os,
            arch,
        } = self;
        write!(f, "{version}|{revision}|{build_date}|{os}|{arch}")
    }
}
