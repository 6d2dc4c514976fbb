//! Wire types of external id claims.

use crate::decode::{DecodeError, Members};
use crate::describe::JsonSchema;
use portcullis_domain::ca::{
    ClaimLocation, ClaimMatcher, ClaimParser, ClaimPatch, ExternalIdClaim,
};
use serde::{Deserialize, Serialize};

/// Location of the external id in certificates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalIdClaimDetail {
    /// Index of the external id among the parsed values, from 0.
    pub index: u32,
    /// Certificate names that are searched.
    #[schemars(with = "crate::schema::word::Location")]
    pub location: ClaimLocation,
    /// Filter on the searched names.
    #[schemars(with = "crate::schema::word::Matcher")]
    pub matcher: ClaimMatcher,
    /// Prefix, suffix or scheme to match.
    #[serde(default)]
    pub matcher_criteria: String,
    /// Parser applied to matching names.
    #[schemars(with = "crate::schema::word::Parser")]
    pub parser: ClaimParser,
    /// Separator between the parts.
    #[serde(default)]
    pub parser_criteria: String,
}

impl From<ExternalIdClaim> for ExternalIdClaimDetail {
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

/// An external id claim in a request, complete or in part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalIdClaimPatch {
    /// Index of the external id among the parsed values, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i64>,
    /// Certificate names that are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<ClaimLocation>,
    /// Filter on the searched names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<ClaimMatcher>,
    /// Prefix, suffix or scheme to match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher_criteria: Option<String>,
    /// Parser applied to matching names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser: Option<ClaimParser>,
    /// Separator between the parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parser_criteria: Option<String>,
}

impl ExternalIdClaimPatch {
    /// Decodes the member `externalIdClaim`.
    pub(super) fn decode(members: &mut Members) -> Result<Option<Self>, DecodeError> {
        let Some(mut claim) = members.object("externalIdClaim")? else {
            return Ok(None);
        };
        Ok(Some(Self {
            index: claim.optional_integer("index")?,
            location: decode_enum(
                &mut claim,
                "location",
                ClaimLocation::ALL,
                ClaimLocation::name,
            )?,
            matcher: decode_enum(&mut claim, "matcher", ClaimMatcher::ALL, ClaimMatcher::name)?,
            matcher_criteria: claim.optional_string("matcherCriteria")?,
            parser: decode_enum(&mut claim, "parser", ClaimParser::ALL, ClaimParser::name)?,
            parser_criteria: claim.optional_string("parserCriteria")?,
        }))
    }
}

impl From<ExternalIdClaimPatch> for ClaimPatch {
    fn from(change: ExternalIdClaimPatch) -> Self {
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

/// Decodes a string as the enum value of that name.
fn decode_enum<T: Copy, const N: usize>(
    members: &mut Members,
    name: &str,
    all: [T; N],
    word: fn(T) -> &'static str,
) -> Result<Option<T>, DecodeError> {
    let given = members.optional_choice(name, &all.map(word))?;
    Ok(given.and_then(|given| all.into_iter().find(|one| word(*one) == given)))
}
