//! Role attributes and their use on the wire.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How a role attribute is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageDetail {
    /// The attribute.
    pub role_attribute: String,
    /// Its use by each kind that can carry or name it.
    pub usage: BTreeMap<Cow<'static, str>, Usage>,
}

/// The use of a role attribute by one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// How many use it.
    pub count: u64,
    /// The ids of those that do; `null` unless they were asked for.
    #[serde(default)]
    pub ids: Option<Vec<String>>,
}

impl UsageDetail {
    /// The use of an attribute of identities. No policy exists yet that could name it.
    pub fn of_identities(attribute: String, count: u64, ids: Option<Vec<String>>) -> Self {
        let none = Usage {
            count: 0,
            ids: ids.as_ref().map(|_ids| Vec::new()),
        };
        let usage = [
            ("edgeRouterPolicies", none.clone()),
            ("identities", Usage { count, ids }),
            ("servicePolicies", none),
        ];
        Self {
            role_attribute: attribute,
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
    fn ids_are_there_when_they_were_asked_for() {
        let of = |ids| {
            let usage = UsageDetail::of_identities("red".to_owned(), 1, ids);
            serde_json::to_value(usage).unwrap()
        };
        assert_eq!(
            of(None),
            json!({"roleAttribute": "red", "usage": {
                "edgeRouterPolicies": {"count": 0, "ids": null},
                "identities": {"count": 1, "ids": null},
                "servicePolicies": {"count": 0, "ids": null}
            }})
        );
        assert_eq!(
            of(Some(vec!["x".to_owned()]))["usage"],
            json!({
                "edgeRouterPolicies": {"count": 0, "ids": []},
                "identities": {"count": 1, "ids": ["x"]},
                "servicePolicies": {"count": 0, "ids": []}
            })
        );
    }
}
