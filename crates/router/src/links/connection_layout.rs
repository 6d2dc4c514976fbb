//! Number and roles of the connections of a link.

/// Connections that a link is dialed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionLayout {
    /// Several on one channel. The link lives as long as one for data does.
    Multiple {
        /// Maximum number for data (`maxDefaultConnections`), 1 to 100.
        data: u8,
        /// Maximum number for acknowledgments only (`maxAckConnections`), 0 to 100; at 0,
        /// acknowledgments share the data connections.
        acknowledgments: u8,
    },
    /// One for data and one for acknowledgments (`split: true`).
    Pair,
    /// One for everything (`split: false`).
    Single,
}

/// Whether a router of this version supports [`ConnectionLayout::Multiple`].
///
/// Releases do from 1.6.6 on. Development builds have version 0.0.0.
pub(super) fn supports_multiple(version: Option<&str>) -> bool {
    let version = version.and_then(parse_version);
    version.is_some_and(|version| version >= (1, 6, 6) || version == (0, 0, 0))
}

/// Parses major, minor and patch; anything after a `-` or `+` is ignored.
fn parse_version(version: &str) -> Option<(u64, u64, u64)> {
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
            assert_eq!(supports_multiple(version), expected, "{version:?}");
        }
    }
}
