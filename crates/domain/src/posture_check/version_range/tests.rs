//! Ranges compared with the library of edge routers and with a naive model.

use super::*;
use proptest::prelude::*;

/// Versions in ascending order; those with build metadata equal their predecessor.
const VERSIONS: [&str; 28] = [
    "0.0.0",
    "0.9.9",
    "1.0.0-alpha",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0",
    "1.0.0+b",
    "1.1.9",
    "1.2.0-0",
    "1.2.0",
    "1.2.3-rc.1",
    "1.2.3",
    "1.2.3+build.7",
    "1.2.4",
    "1.3.0-a",
    "1.3.0",
    "1.99.0",
    "2.0.0-0",
    "2.0.0",
    "2.2.7",
    "3.0.0",
    "3.0.1",
    "4.2.1",
    "10.0.18363",
    "10.0.19041",
    "10.0.22631",
    "11.0.0",
    "12.4.0",
];

/// Ranges and the [`VERSIONS`] that match according to the library of edge routers.
const VERDICTS: [(&str, &str); 25] = [
    ("1.2.3", "0000000000011000000000000000"),
    ("=1.2.3", "0000000000011000000000000000"),
    ("==1.2.3", "0000000000011000000000000000"),
    ("!1.2.3", "1111111111100111111111111111"),
    ("!=1.2.3", "1111111111100111111111111111"),
    (">1.2.3", "0000000000000111111111111111"),
    (">=1.2.3", "0000000000011111111111111111"),
    ("<1.2.3", "1111111111100000000000000000"),
    ("<=1.2.3", "1111111111111000000000000000"),
    (">= 1.2.3", "0000000000011111111111111111"),
    ("> = 1.2.3", "0000000000011111111111111111"),
    (" >=1.0.0   <2.0.0 ", "0000011111111111110000000000"),
    ("<1.0.0 || >=2.0.0", "1111100000000000001111111111"),
    (
        ">1.0.0 <2.0.0 || >3.0.0 !4.2.1",
        "0000000111111111110001011111",
    ),
    ("1.2.x", "0000000001111110000000000000"),
    ("1.x", "0000011111111111110000000000"),
    (">1.2.x", "0000000000000001111111111111"),
    (">=1.x", "0000011111111111111111111111"),
    ("<1.2.x", "1111111110000000000000000000"),
    ("<=1.x", "1111111111111111110000000000"),
    ("=1.2.x", "0000000001111110000000000000"),
    (">=1.0.0-beta.2 <1.0.0", "0001100000000000000000000000"),
    (">=1.0.0-alpha+b.01", "0011111111111111111111111111"),
    ("==1.2.3+build", "0000000000011000000000000000"),
    (
        ">=10.0.19041 <11.0.0 || 12.x",
        "0000000000000000000000001101",
    ),
];

#[test]
fn edge_routers_come_to_the_same_verdicts() {
    for (text, verdicts) in VERDICTS {
        let range = VersionRange::parse(text).unwrap();
        let ours: String = VERSIONS
            .iter()
            .map(|version| range.contains(&Version::parse(version).unwrap()))
            .map(|is_in_it| if is_in_it { '1' } else { '0' })
            .collect();
        assert_eq!(ours, verdicts, "{text}");
        assert_eq!(range.as_str(), text);
    }
}

#[test]
fn what_edge_routers_cannot_read_is_refused() {
    for text in [
        "",
        " ",
        "||",
        "1.0.0 ||",
        "|| 1.0.0",
        "1.0.0 || || 2.0.0",
        "<1.0.0||>=3.0.0",
        "x",
        "*",
        "1",
        "1.2",
        "1.2.3.4",
        "v1.2.3",
        "~1.2.3",
        "^1.2.3",
        "=>1.2.3",
        ">= =1.2.3",
        ">",
        "01.2.3",
        "01.x",
        "1.0.0-",
        "1.0.0-01",
        "1.0.0+",
        "1.0.0-x64",
        "1.2.x-beta",
        "1.x.3",
        "1.2.X",
        "1 .2.3",
        ">=1.2.3\t<2.0.0",
        "99999999999999999999.0.0",
        "18446744073709551615.x",
        "1.2.3-99999999999999999999",
    ] {
        assert!(VersionRange::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn what_edge_routers_read_otherwise_than_it_looks_is_refused() {
    for text in [
        "! 1.2.3", "!=1.2.x", "1.x.x", "v1.2.x", "1.0.0 5", "1.2.3 x",
    ] {
        assert!(VersionRange::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let long = "1".repeat(VersionRange::MAX_LENGTH + 1);
    for (text, error) in [
        (long.as_str(), VersionRangeError::TooLong),
        ("1.0.0 ||", VersionRangeError::EmptyAlternative),
        (">=7", VersionRangeError::InvalidVersion("7".to_owned())),
        (
            "~1.2.3",
            VersionRangeError::InvalidComparator("~".to_owned()),
        ),
        (
            "!1.x",
            VersionRangeError::NegatedWildcard("!1.x".to_owned()),
        ),
    ] {
        assert_eq!(VersionRange::parse(text).unwrap_err(), error);
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn a_range_is_stored_as_its_text() {
    let range = VersionRange::parse(">= 1.2.3").unwrap();
    let json = serde_json::to_string(&range).unwrap();
    assert_eq!(json, r#"">= 1.2.3""#);
    assert_eq!(serde_json::from_str::<VersionRange>(&json).unwrap(), range);
    assert!(serde_json::from_str::<VersionRange>(r#""x""#).is_err());
}

/// A bound in the naive model: a comparator, three numbers of which the last ones are `None` for a
/// wildcard, and whether it is a pre-release.
#[derive(Debug, Clone)]
struct PlainBound {
    comparator: &'static str,
    numbers: (u64, Option<u64>, Option<u64>),
    is_pre: bool,
}

type PlainVersion = (u64, u64, u64, bool);

impl PlainBound {
    fn text(&self) -> String {
        let rest = match self.numbers {
            (major, None, _) => format!("{major}.x"),
            (major, Some(minor), None) => format!("{major}.{minor}.x"),
            (major, Some(minor), Some(patch)) => {
                let pre = if self.is_pre { "-rc" } else { "" };
                format!("{major}.{minor}.{patch}{pre}")
            },
        };
        format!("{}{rest}", self.comparator)
    }

    /// The half-open range of matching versions. A release is taken to directly follow its
    /// pre-release.
    fn span(&self) -> (PlainVersion, PlainVersion) {
        match self.numbers {
            (major, None, _) => ((major, 0, 0, true), (major + 1, 0, 0, true)),
            (major, Some(minor), None) => ((major, minor, 0, true), (major, minor + 1, 0, true)),
            (major, Some(minor), Some(patch)) if self.is_pre => {
                ((major, minor, patch, false), (major, minor, patch, true))
            },
            (major, Some(minor), Some(patch)) => (
                (major, minor, patch, true),
                (major, minor, patch + 1, false),
            ),
        }
    }

    fn holds(&self, version: PlainVersion) -> bool {
        let (first, next) = self.span();
        match self.comparator {
            "<" => version < first,
            "<=" => version < next,
            ">" => version >= next,
            ">=" => version >= first,
            "!" | "!=" => version < first || version >= next,
            _ => version >= first && version < next,
        }
    }
}

fn plain() -> impl Strategy<Value = PlainBound> {
    let numbers = (
        0..3_u64,
        prop::option::weighted(0.8, 0..3_u64),
        prop::option::weighted(0.8, 0..3_u64),
    );
    let comparators = prop::sample::select(vec!["", "=", "==", "!", "!=", "<", "<=", ">", ">="]);
    (comparators, numbers, any::<bool>())
        .prop_map(|(comparator, (major, minor, patch), is_pre)| PlainBound {
            comparator,
            numbers: (major, minor, minor.and(patch)),
            is_pre,
        })
        .prop_filter("no wildcard is excluded", |bound| {
            bound.numbers.2.is_some() || !bound.comparator.starts_with('!')
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_plain_reading_comes_to_the_same_verdict(
        alternatives in prop::collection::vec(prop::collection::vec(plain(), 1..4), 1..4),
    ) {
        let text = alternatives
            .iter()
            .map(|bounds| bounds.iter().map(PlainBound::text).collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
            .join(" || ");
        let range = VersionRange::parse(text.as_str()).unwrap();
        for place in 0..128_u64 {
            let (major, minor, patch) = (place / 32, place / 8 % 4, place / 2 % 4);
            let is_release = place % 2 == 1;
            let pre = if is_release { "" } else { "-rc" };
            let version = Version::parse(&format!("{major}.{minor}.{patch}{pre}")).unwrap();
            let expected = alternatives.iter().any(|bounds| {
                bounds.iter().all(|bound| bound.holds((major, minor, patch, is_release)))
            });
            prop_assert_eq!(range.contains(&version), expected, "{} in {}", place, text);
        }
    }

    #[test]
    fn no_text_is_too_odd(text in "[0-9x.=!<>| \\-+a]{0,40}") {
        let _ = VersionRange::parse(text.clone());
        let _ = Version::parse(&text);
    }
}
