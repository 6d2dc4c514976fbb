//! The store as administrators look after it: what a check has found, and how much is in it.

use crate::decode::{Decode, DecodeError, Members};
use crate::envelope::Pagination;
use crate::time::WireTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How many entities of each kind there are, by the names of the kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SummaryCounts(pub BTreeMap<Cow<'static, str>, u64>);

/// The body of POST `/database/snapshot` on the fabric, which may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SnapshotCreate {
    /// Where the copy is put, relative to the folder of the store; `None` and the empty text for the
    /// usual place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Where a copy of the store was put.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotCreated {
    /// Its path.
    pub path: String,
}

impl Decode for SnapshotCreate {
    const PARAMETER: &'static str = "snapshot";
    const WORDS: &'static [(&'static str, &'static str)] = &[(
        "path",
        "Where the copy is put, relative to the folder of the store; at the usual place if it is left out.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        let path = members.optional_string("path")?;
        Ok(Self {
            path: path.filter(|path| !path.is_empty()),
        })
    }
}

/// What the last check of the store has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrityDetails {
    /// When it ended; `null` before that.
    pub end_time: Option<WireTime>,
    /// What kept it from its end.
    pub error: Option<String>,
    /// Whether it puts right what can be.
    pub fixing_errors: bool,
    /// Whether it is still at work.
    pub in_progress: bool,
    /// What it has found; `null` when that is nothing.
    pub results: Option<Vec<IntegrityResult>>,
    /// When it began; `null` before the first one.
    pub start_time: Option<WireTime>,
    /// Whether it ended early because it had found too much.
    pub too_many_errors: bool,
}

/// Something that a check of the store has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityResult {
    /// What is wrong, in words.
    pub description: String,
    /// Whether it was put right.
    pub fixed: bool,
}

/// The answer with [`IntegrityDetails`], which counts them as a list does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityEnvelope {
    /// What was found.
    pub data: IntegrityDetails,
    /// How much that is.
    pub meta: IntegrityMeta,
}

/// The `meta` of an [`IntegrityEnvelope`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityMeta {
    /// All of them on one page, which has the limit -1.
    pub pagination: Pagination,
}

impl From<IntegrityDetails> for IntegrityEnvelope {
    fn from(data: IntegrityDetails) -> Self {
        let found = data.results.as_ref().map_or(0, Vec::len);
        let pagination = Pagination {
            limit: -1,
            offset: 0,
            total_count: i64::try_from(found).unwrap_or(i64::MAX),
        };
        Self {
            data,
            meta: IntegrityMeta { pagination },
        }
    }
}
