//! External id claims of certificates.

use crate::FieldError;
use serde::{Deserialize, Serialize};

/// Extracts the external id of the holder from a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalIdClaim {
    pub location: ClaimLocation,
    pub matcher: ClaimMatcher,
    /// The prefix, suffix or scheme to match.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub matcher_criteria: String,
    /// How a matching name is split.
    pub parser: ClaimParser,
    /// The separator.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub parser_criteria: String,
    /// Zero-based index among the resulting values.
    pub index: u32,
}

/// The certificate field that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClaimLocation {
    /// The common name of the subject.
    CommonName,
    /// URI subject alternative names.
    SanUri,
    /// Email subject alternative names.
    SanEmail,
}

/// Which values match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClaimMatcher {
    /// All of them.
    All,
    /// Values with this prefix, which is removed.
    Prefix,
    /// Values with this suffix, which is removed.
    Suffix,
    /// URIs of the scheme in the criteria.
    Scheme,
}

/// How a matching name is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ClaimParser {
    /// Not at all.
    None,
    /// At each occurrence of the criteria.
    Split,
}

impl ExternalIdClaim {
    /// The first value of a field, as it stands there.
    pub fn first(location: ClaimLocation) -> Self {
        Self {
            location,
            matcher: ClaimMatcher::All,
            matcher_criteria: String::new(),
            parser: ClaimParser::None,
            parser_criteria: String::new(),
            index: 0,
        }
    }
}

impl ClaimLocation {
    pub const ALL: [Self; 3] = [Self::CommonName, Self::SanUri, Self::SanEmail];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CommonName => "COMMON_NAME",
            Self::SanUri => "SAN_URI",
            Self::SanEmail => "SAN_EMAIL",
        }
    }
}

impl ClaimMatcher {
    pub const ALL: [Self; 4] = [Self::All, Self::Prefix, Self::Suffix, Self::Scheme];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "ALL",
            Self::Prefix => "PREFIX",
            Self::Suffix => "SUFFIX",
            Self::Scheme => "SCHEME",
        }
    }
}

impl ClaimParser {
    pub const ALL: [Self; 2] = [Self::None, Self::Split];

    /// Name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Split => "SPLIT",
        }
    }
}

impl ExternalIdClaim {
    /// Validates the combination of members.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on the invalid member.
    pub fn validate(&self) -> Result<(), FieldError> {
        let invalid = |member: &str, reason: &str, value: &str| {
            Err(FieldError::new(
                format!("externalIdClaim.{member}"),
                reason,
                value,
            ))
        };
        let is_uri = self.location == ClaimLocation::SanUri;
        match self.matcher {
            ClaimMatcher::All => {},
            ClaimMatcher::Scheme if !is_uri => {
                return invalid(
                    "matcher",
                    "SCHEME can only be used with location SAN_URI",
                    self.matcher.name(),
                );
            },
            ClaimMatcher::Prefix | ClaimMatcher::Suffix if is_uri => {
                return invalid(
                    "matcher",
                    "must be ALL or SCHEME when location is SAN_URI",
                    self.matcher.name(),
                );
            },
            _ if self.matcher_criteria.is_empty() => {
                return invalid(
                    "matcherCriteria",
                    "must not be empty when the matcher is PREFIX, SUFFIX or SCHEME",
                    "",
                );
            },
            _ => {},
        }
        if self.parser == ClaimParser::Split && self.parser_criteria.is_empty() {
            return invalid(
                "parserCriteria",
                "must not be empty when the parser is SPLIT",
                "",
            );
        }
        Ok(())
    }

    /// Extracts the external id from the values at the claim's location, in order. `None` when no
    /// value, or an empty one, results.
    pub fn resolve<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
        let matching = names.into_iter().filter_map(|name| self.matched_part(name));
        let mut values: Box<dyn Iterator<Item = &str>> = match self.parser {
            ClaimParser::None => Box::new(matching),
            ClaimParser::Split => {
                Box::new(matching.flat_map(|name| name.split(self.parser_criteria.as_str())))
            },
        };
        let index = usize::try_from(self.index).ok()?;
        values
            .nth(index)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
    }

    /// The matching part of a value.
    fn matched_part<'n>(&self, name: &'n str) -> Option<&'n str> {
        let criteria = self.matcher_criteria.as_str();
        match self.matcher {
            ClaimMatcher::All => Some(name),
            ClaimMatcher::Prefix => name.strip_prefix(criteria),
            ClaimMatcher::Suffix => name.strip_suffix(criteria),
            // Schemes are case-insensitive (RFC 3986 section 3.1).
            ClaimMatcher::Scheme => name
                .split_once(':')
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(criteria))
                .map(|_| name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(
        location: ClaimLocation,
        matcher: (ClaimMatcher, &str),
        parser: (ClaimParser, &str),
        index: u32,
    ) -> ExternalIdClaim {
        ExternalIdClaim {
            location,
            matcher: matcher.0,
            matcher_criteria: matcher.1.to_owned(),
            parser: parser.0,
            parser_criteria: parser.1.to_owned(),
            index,
        }
    }

    #[test]
    fn members_have_to_fit_together() {
        use ClaimLocation::{CommonName, SanEmail, SanUri};
        let none = (ClaimParser::None, "");
        for (claim, at_fault) in [
            (claim(CommonName, (ClaimMatcher::All, ""), none, 0), None),
            (claim(SanEmail, (ClaimMatcher::Suffix, "@x"), none, 0), None),
            (
                claim(SanUri, (ClaimMatcher::Scheme, "spiffe"), none, 0),
                None,
            ),
            (
                claim(CommonName, (ClaimMatcher::Scheme, "a"), none, 0),
                Some("matcher"),
            ),
            (
                claim(SanUri, (ClaimMatcher::Prefix, "a"), none, 0),
                Some("matcher"),
            ),
            (
                claim(CommonName, (ClaimMatcher::Prefix, ""), none, 0),
                Some("matcherCriteria"),
            ),
            (
                claim(SanUri, (ClaimMatcher::Scheme, ""), none, 0),
                Some("matcherCriteria"),
            ),
            (
                claim(
                    CommonName,
                    (ClaimMatcher::All, ""),
                    (ClaimParser::Split, ""),
                    0,
                ),
                Some("parserCriteria"),
            ),
        ] {
            let found = claim.validate().err().map(|error| error.field);
            let expected = at_fault.map(|member| format!("externalIdClaim.{member}"));
            assert_eq!(found, expected, "{claim:?}");
        }
    }

    #[test]
    fn value_is_taken_out_of_the_names() {
        use ClaimLocation::{CommonName, SanEmail, SanUri};
        let none = (ClaimParser::None, "");
        let names = [
            "user=anne;dept=7",
            "spiffe://a/b",
            "SPIFFE://c",
            "anne@example.test",
            "",
        ];
        for (claim, expected) in [
            (
                claim(CommonName, (ClaimMatcher::All, ""), none, 0),
                Some("user=anne;dept=7"),
            ),
            (
                claim(
                    CommonName,
                    (ClaimMatcher::Prefix, "user="),
                    (ClaimParser::Split, ";"),
                    0,
                ),
                Some("anne"),
            ),
            (
                claim(
                    CommonName,
                    (ClaimMatcher::Prefix, "user="),
                    (ClaimParser::Split, ";"),
                    2,
                ),
                None,
            ),
            (
                claim(SanEmail, (ClaimMatcher::Suffix, "@example.test"), none, 0),
                Some("anne"),
            ),
            (
                claim(SanUri, (ClaimMatcher::Scheme, "spiffe"), none, 1),
                Some("SPIFFE://c"),
            ),
            (
                claim(SanUri, (ClaimMatcher::Scheme, "spiff"), none, 0),
                None,
            ),
            (claim(CommonName, (ClaimMatcher::All, ""), none, 4), None),
            (
                claim(CommonName, (ClaimMatcher::Prefix, "nobody"), none, 0),
                None,
            ),
        ] {
            assert_eq!(claim.resolve(names).as_deref(), expected, "{claim:?}");
        }
    }
}
