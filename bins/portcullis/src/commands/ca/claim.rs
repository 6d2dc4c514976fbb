//! Where certificates name the external id of their holder, as arguments.

use clap::{Args, ValueEnum};
use portcullis_api::ca::ClaimChange;
use portcullis_domain::ca::{Location, Matcher, Parser};

/// Where certificates name the external id of their holder.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ClaimArgs {
    /// Where certificates name the external id of the identity that they belong to; without it
    /// identities are known by the certificate itself
    #[arg(long = "external-id-from", value_name = "WHERE", value_enum)]
    place: Option<Place>,

    /// Use only names that begin with this text, without it
    #[arg(long = "external-id-prefix", value_name = "TEXT", group = "matched")]
    prefix: Option<String>,

    /// Use only names that end with this text, without it
    #[arg(long = "external-id-suffix", value_name = "TEXT", group = "matched")]
    suffix: Option<String>,

    /// Use only URIs of this scheme
    #[arg(long = "external-id-scheme", value_name = "SCHEME", group = "matched")]
    scheme: Option<String>,

    /// Split names at this text
    #[arg(long = "external-id-split", value_name = "TEXT")]
    split: Option<String>,

    /// Which of several names or parts to use, counted from 0
    #[arg(long = "external-id-index", value_name = "NUMBER")]
    index: Option<u32>,
}

/// Names that a certificate holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Place {
    /// The common name of the subject
    CommonName,
    /// The URIs among the alternative names
    SanUri,
    /// The mail addresses among the alternative names
    SanEmail,
}

impl From<Place> for Location {
    fn from(place: Place) -> Self {
        match place {
            Place::CommonName => Self::CommonName,
            Place::SanUri => Self::SanUri,
            Place::SanEmail => Self::SanEmail,
        }
    }
}

impl ClaimArgs {
    /// The members that the arguments set.
    pub(super) fn change(&self) -> ClaimChange {
        let (matcher, matcher_criteria) = self.matcher().unzip();
        ClaimChange {
            index: self.index.map(i64::from),
            location: self.place.map(Location::from),
            matcher,
            matcher_criteria,
            parser: self.split.as_ref().map(|_| Parser::Split),
            parser_criteria: self.split.clone(),
        }
    }

    /// A whole claim, if there is to be one.
    pub(super) fn whole(&self) -> Option<ClaimChange> {
        let change = self.change();
        (change != ClaimChange::default()).then(|| ClaimChange {
            index: change.index.or(Some(0)),
            location: change.location,
            matcher: change.matcher.or(Some(Matcher::All)),
            matcher_criteria: change.matcher_criteria.or(Some(String::new())),
            parser: change.parser.or(Some(Parser::None)),
            parser_criteria: change.parser_criteria.or(Some(String::new())),
        })
    }

    fn matcher(&self) -> Option<(Matcher, String)> {
        let choices = [
            (Matcher::Prefix, &self.prefix),
            (Matcher::Suffix, &self.suffix),
            (Matcher::Scheme, &self.scheme),
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

    fn written(claim: Option<ClaimChange>) -> Value {
        serde_json::to_value(claim).unwrap()
    }

    #[test]
    fn whole_claim_has_every_member() {
        assert_eq!(written(claim("").whole()), Value::Null);
        assert_eq!(
            written(claim("--external-id-from common-name").whole()),
            json!({"index": 0, "location": "COMMON_NAME", "matcher": "ALL",
                "matcherCriteria": "", "parser": "NONE", "parserCriteria": ""})
        );
        let line = "--external-id-from san-uri --external-id-scheme spiffe --external-id-split / \
                    --external-id-index 2";
        assert_eq!(
            written(claim(line).whole()),
            json!({"index": 2, "location": "SAN_URI", "matcher": "SCHEME",
                "matcherCriteria": "spiffe", "parser": "SPLIT", "parserCriteria": "/"})
        );
    }

    #[test]
    fn change_has_what_is_given() {
        assert_eq!(written(Some(claim("").change())), json!({}));
        assert_eq!(
            written(Some(claim("--external-id-suffix @x.test").change())),
            json!({"matcher": "SUFFIX", "matcherCriteria": "@x.test"})
        );
    }
}
