//! External id claims of third-party CAs, as arguments.

use clap::{Args, ValueEnum};
use portcullis_api::ca::ExternalIdClaimPatch;
use portcullis_domain::ca::{ClaimLocation, ClaimMatcher, ClaimParser};

/// Location of the external id in certificates.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ClaimArgs {
    /// Certificate field that holds the external id of the identity; without it, identities are
    /// matched by the certificate itself
    #[arg(long = "external-id-from", value_name = "FIELD", value_enum)]
    place: Option<ClaimField>,

    /// Use only values with this prefix, and strip it
    #[arg(long = "external-id-prefix", value_name = "TEXT", group = "matched")]
    prefix: Option<String>,

    /// Use only values with this suffix, and strip it
    #[arg(long = "external-id-suffix", value_name = "TEXT", group = "matched")]
    suffix: Option<String>,

    /// Use only URIs with this scheme
    #[arg(long = "external-id-scheme", value_name = "SCHEME", group = "matched")]
    scheme: Option<String>,

    /// Split values at this separator
    #[arg(long = "external-id-split", value_name = "TEXT")]
    split: Option<String>,

    /// Index of the value or part to use, starting at 0
    #[arg(long = "external-id-index", value_name = "NUMBER")]
    index: Option<u32>,
}

/// Certificate fields with names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ClaimField {
    /// The common name of the subject
    CommonName,
    /// URIs in the subject alternative names
    SanUri,
    /// Email addresses in the subject alternative names
    SanEmail,
}

impl From<ClaimField> for ClaimLocation {
    fn from(field: ClaimField) -> Self {
        match field {
            ClaimField::CommonName => Self::CommonName,
            ClaimField::SanUri => Self::SanUri,
            ClaimField::SanEmail => Self::SanEmail,
        }
    }
}

impl ClaimArgs {
    /// The given members, for a patch.
    pub(super) fn to_change(&self) -> ExternalIdClaimPatch {
        let (matcher, matcher_criteria) = self.matcher().unzip();
        ExternalIdClaimPatch {
            index: self.index.map(i64::from),
            location: self.place.map(ClaimLocation::from),
            matcher,
            matcher_criteria,
            parser: self.split.as_ref().map(|_| ClaimParser::Split),
            parser_criteria: self.split.clone(),
        }
    }

    /// A complete claim, if any member is given.
    pub(super) fn to_full_claim(&self) -> Option<ExternalIdClaimPatch> {
        let change = self.to_change();
        (change != ExternalIdClaimPatch::default()).then(|| ExternalIdClaimPatch {
            index: change.index.or(Some(0)),
            location: change.location,
            matcher: change.matcher.or(Some(ClaimMatcher::All)),
            matcher_criteria: change.matcher_criteria.or(Some(String::new())),
            parser: change.parser.or(Some(ClaimParser::None)),
            parser_criteria: change.parser_criteria.or(Some(String::new())),
        })
    }

    fn matcher(&self) -> Option<(ClaimMatcher, String)> {
        let choices = [
            (ClaimMatcher::Prefix, &self.prefix),
            (ClaimMatcher::Suffix, &self.suffix),
            (ClaimMatcher::Scheme, &self.scheme),
        ];
        choices
            .into_iter()
            .find_map(|(matcher, text)| Some((matcher, text.clone()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;
    use serde_json::{Value, json};

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        claim: ClaimArgs,
    }

    fn claim(line: &str) -> ClaimArgs {
        let words = std::iter::once("x").chain(line.split_whitespace());
        Line::try_parse_from(words).unwrap().claim
    }

    fn written(claim: Option<ExternalIdClaimPatch>) -> Value {
        serde_json::to_value(claim).unwrap()
    }

    #[test]
    fn whole_claim_has_every_member() {
        assert_eq!(written(claim("").to_full_claim()), Value::Null);
        assert_eq!(
            written(claim("--external-id-from common-name").to_full_claim()),
            json!({"index": 0, "location": "COMMON_NAME", "matcher": "ALL",
                "matcherCriteria": "", "parser": "NONE", "parserCriteria": ""})
        );
        let line = "--external-id-from san-uri --external-id-scheme spiffe --external-id-split / \
                    --external-id-index 2";
        assert_eq!(
            written(claim(line).to_full_claim()),
            json!({"index": 2, "location": "SAN_URI", "matcher": "SCHEME",
                "matcherCriteria": "spiffe", "parser": "SPLIT", "parserCriteria": "/"})
        );
    }

    #[test]
    fn change_has_what_is_given() {
        assert_eq!(written(Some(claim("").to_change())), json!({}));
        assert_eq!(
            written(Some(claim("--external-id-suffix @x.test").to_change())),
            json!({"matcher": "SUFFIX", "matcherCriteria": "@x.test"})
        );
    }
}
