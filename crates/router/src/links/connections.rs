//! How many connections make up a link.

/// The connections that a link is dialed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connections {
    /// Several on one channel. The link lives while one for data does.
    Several {
        /// How many carry data at most (`maxDefaultConnections`), 1 to 100.
        data: u8,
        /// How many carry acknowledgments only at most (`maxAckConnections`), 0 to 100; at 0
        /// acknowledgments go with the data.
        acknowledgments: u8,
    },
    /// One for data and one for acknowledgments (`split: true`).
    Pair,
    /// One for everything (`split: false`).
    Single,
}

/// Tells whether a router of this version understands [`Connections::Several`].
///
/// Releases do from 1.6.6 on. Builds of developers say that they are 0.0.0.
pub(super) fn takes_several(version: Option<&str>) -> bool {
    let version = version.and_then(parse);
    version.is_some_and(|version| version >= (1, 6, 6) || version == (0, 0, 0))
}

/// Reads major, minor and patch; what follows a `-` or `+` is of no interest here.
fn parse(version: &str) -> Option<(u64, u64, u64)> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let release = version.split(['-', '+']).next()?;
    let mut numbers = release.split('.').map(|number| number.parse().ok());
    let parsed = (numbers.next()??, numbers.next()??, numbers.next()??);
    numbers.next().is_none().then_some(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_connections_depend_on_the_version() {
        let cases = [
            (Some("v1.6.6"), true),
            (Some("1.6.6"), true),
            (Some("v1.6.5"), false),
            (Some("v1.10.0"), true),
            (Some("v2.1.0-pre2"), true),
            (Some("v0.0.0"), true),
            (Some("v0.34.2"), false),
            (Some("v2"), false),
            (Some("v2.1.0.1"), false),
            (Some("latest"), false),
            (Some(""), false),
            (None, false),
        ];
        for (version, expected) in cases {
            assert_eq!(takes_several(version), expected, "{version:?}");
        }
    }
}
