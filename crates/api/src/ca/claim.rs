//! Where certificates name the external id of their holder, on the wire.

use crate::decode::{DecodeError, Members};
use crate::schema;
use portcullis_domain::ca::{ClaimPatch, ExternalIdClaim, Location, Matcher, Parser};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where certificates name the external id of their holder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimDetail {
    /// Which of the values that result is the external id, from 0.
    pub index: u32,
    /// Which names of the certificate are looked at.
    #[schemars(with = "schema::word::Location")]
    pub location: Location,
    /// Which of them count.
    #[schemars(with = "schema::word::Matcher")]
    pub matcher: Matcher,
    /// The prefix, suffix or scheme that counts.
    #[serde(default)]
    pub matcher_criteria: String,
    /// How a name is taken apart.
    #[schemars(with = "schema::word::Parser")]
    pub parser: Parser,
    /// What stands between the parts.
    #[serde(default)]
    pub parser_criteria: String,
}

impl From<ExternalIdClaim> for ClaimDetail {
    fn from(claim: ExternalIdClaim) -> Self {
        Self {
            index: claim.index,
            location: claim.location,
            matcher: claim.matcher,
            matcher_criteria: claim.matcher_criteria,
            parser: claim.parser,
            parser_criteria: claim.parser_criteria,
        }
    }
}

/// A claim in a request, or some members of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClaimChange {
    /// Which of the values that result is the external id, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i64>,
    /// Which names of the certificate are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Which of them count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<Matcher>,
    /// The prefix, suffix or scheme that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher_criteria: Option<String>,
    /// How a name is taken apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser: Option<Parser>,
    /// What stands between the parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser_criteria: Option<String>,
}

impl ClaimChange {
    /// Reads the member `externalIdClaim`.
    pub(super) fn read(members: &mut Members) -> Result<Option<Self>, DecodeError> {
        let Some(mut claim) = members.object("externalIdClaim")? else {
            return Ok(None);
        };
        Ok(Some(Self {
            index: claim.optional_integer("index")?,
            location: choice(&mut claim, "location", Location::ALL, Location::name)?,
            matcher: choice(&mut claim, "matcher", Matcher::ALL, Matcher::name)?,
            matcher_criteria: claim.optional_string("matcherCriteria")?,
            parser: choice(&mut claim, "parser", Parser::ALL, Parser::name)?,
            parser_criteria: claim.optional_string("parserCriteria")?,
        }))
    }
}

impl From<ClaimChange> for ClaimPatch {
    fn from(change: ClaimChange) -> Self {
        Self {
            location: change.location,
            matcher: change.matcher,
            matcher_criteria: change.matcher_criteria,
            parser: change.parser,
            parser_criteria: change.parser_criteria,
            index: change.index,
        }
    }
}

/// Reads one of a few words as what it stands for.
fn choice<T: Copy, const N: usize>(
    members: &mut Members,
    name: &str,
    all: [T; N],
    word: fn(T) -> &'static str,
) -> Result<Option<T>, DecodeError> {
    let given = members.optional_choice(name, &all.map(word))?;
    Ok(given.and_then(|given| all.into_iter().find(|one| word(*one) == given)))
}
