//! Wire types of database snapshots, integrity checks and entity counts.

use crate::decode::{Decode, DecodeError, Members};
use crate::describe::JsonSchema;
use crate::envelope::Pagination;
use crate::time::WireTime;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Number of entities of each kind, by kind name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SummaryCounts(pub BTreeMap<Cow<'static, str>, u64>);

/// The body of POST `/database/snapshot` on the fabric, which may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SnapshotCreate {
    /// Path of the snapshot, relative to the directory of the store; `None` or empty for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Location of a database snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotCreated {
    /// Path of the file.
    pub path: String,
}

/// Location of a database snapshot, which OpenZiti's management API does not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SnapshotLocation {
    /// Path of the file on the controller's machine, if the controller tells it.
    #[serde(default)]
    pub path: Option<String>,
}

impl Decode for SnapshotCreate {
    const BODY_NAME: &'static str = "snapshot";
    const DESCRIPTIONS: &'static [(&'static str, &'static str)] = &[(
        "path",
        "Path of the snapshot, relative to the directory of the store; a default path if absent.",
    )];

    fn decode(members: &mut Members) -> Result<Self, DecodeError> {
        Ok(Self {
            path: members.non_empty_string("path")?,
        })
    }
}

/// Results of the last data integrity check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntegrityDetails {
    /// When the check ended; `null` while it runs.
    pub end_time: Option<WireTime>,
    /// Error that stopped the check.
    pub error: Option<String>,
    /// Whether the check repairs what it can.
    pub fixing_errors: bool,
    /// Whether the check is still running.
    pub in_progress: bool,
    /// Problems found; `null` if there are none.
    pub results: Option<Vec<IntegrityResult>>,
    /// When the check started; `null` before the first check.
    pub start_time: Option<WireTime>,
    /// Whether the check stopped early because of too many errors.
    pub too_many_errors: bool,
}

/// A problem found by a data integrity check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityResult {
    /// Description of the problem.
    pub description: String,
    /// Whether the problem was repaired.
    pub fixed: bool,
}

/// The response with [`IntegrityDetails`], which has pagination like a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityEnvelope {
    /// Results of the check.
    pub data: IntegrityDetails,
    /// Pagination of the results.
    pub meta: IntegrityMeta,
}

/// The `meta` of an [`IntegrityEnvelope`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityMeta {
    /// All results on one page, with the limit -1.
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
