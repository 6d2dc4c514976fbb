//! Wire types of role attributes and their usage.

use crate::describe::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Usage of a role attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleAttributeUsageDetail {
    /// Role attribute.
    pub role_attribute: String,
    /// Usage by each kind that can carry or select it.
    pub usage: BTreeMap<Cow<'static, str>, RoleAttributeUsage>,
}

/// Usage of a role attribute by one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleAttributeUsage {
    /// Number of entities that use it.
    pub count: u64,
    /// Ids of these entities; `null` unless requested.
    #[serde(default)]
    pub ids: Option<Vec<String>>,
}

impl RoleAttributeUsageDetail {
    /// Usage of an attribute by several kinds, by kind name.
    pub fn new(
        role_attribute: String,
        usage: impl IntoIterator<Item = (&'static str, RoleAttributeUsage)>,
    ) -> Self {
        Self {
            role_attribute,
            usage: usage
                .into_iter()
                .map(|(kind, usage)| (Cow::Borrowed(kind), usage))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ids_are_null_unless_they_were_asked_for() {
        let of = |count, ids: Option<&[&str]>| RoleAttributeUsage {
            count,
            ids: ids.map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()),
        };
        let usage = RoleAttributeUsageDetail::new(
            "red".to_owned(),
            [
                ("services", of(1, Some(&["x"]))),
                ("servicePolicies", of(0, None)),
            ],
        );
        assert_eq!(
            serde_json::to_value(usage).unwrap(),
            json!({"roleAttribute": "red", "usage": {
                "servicePolicies": {"count": 0, "ids": null},
                "services": {"count": 1, "ids": ["x"]}
            }})
        );
    }
}
