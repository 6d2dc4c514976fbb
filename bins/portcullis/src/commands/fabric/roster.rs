//! The routers that there are, by id.

use crate::error::CliError;
use crate::listable::Listable as _;
use portcullis_api::fabric::router::RouterDetail;
use portcullis_client::{Client, ListQuery};
use portcullis_domain::clock::Timestamp;
use std::collections::BTreeMap;

/// All routers, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Roster(BTreeMap<String, RouterDetail>);

impl Roster {
    pub(super) async fn fetch(client: &Client) -> Result<Self, CliError> {
        let mut pages = RouterDetail::ordered_pages(client, ListQuery::default());
        let mut routers = BTreeMap::new();
        while let Some(page) = pages.next().await? {
            let page = page.data.into_iter();
            routers.extend(page.map(|router| (router.base.id.to_string(), router)));
        }
        Ok(Self(routers))
    }

    /// No routers if the caller may not list them: names make results easier to read, but are not needed.
    pub(super) async fn fetch_if_allowed(client: &Client) -> Self {
        Self::fetch(client).await.unwrap_or_default()
    }

    pub(super) fn get(&self, id: &str) -> Option<&RouterDetail> {
        self.0.get(id)
    }

    pub(super) fn routers(&self) -> impl Iterator<Item = &RouterDetail> {
        self.0.values()
    }

    /// Since when a router is not connected, if the controller has seen it leave.
    pub(super) fn lost_since(&self, id: &str) -> Option<Timestamp> {
        let router = self.get(id).filter(|router| !router.connected)?;
        router.disconnected_at.map(Into::into)
    }

    /// A text with the names of routers beside their ids.
    pub(super) fn with_names(&self, text: &str) -> String {
        let mut words = text.split_inclusive([' ', ',', ':']).peekable();
        let mut named = String::new();
        while let Some(word) = words.next() {
            named.push_str(word);
            if !matches!(word, "router " | "routers ") {
                continue;
            }
            let Some(next) = words.peek() else { break };
            let id = next.trim_end_matches([' ', ',', ':']);
            if let Some(router) = self.get(id) {
                let rest = next.strip_prefix(id).unwrap_or_default();
                named.extend(["`", &router.name, "` (", id, ")", rest]);
                words.next();
            }
        }
        named
    }

    #[cfg(test)]
    pub(super) fn of(routers: impl IntoIterator<Item = RouterDetail>) -> Self {
        let routers = routers.into_iter();
        Self(
            routers
                .map(|router| (router.base.id.to_string(), router))
                .collect(),
        )
    }
}

/// A router for tests.
#[cfg(test)]
pub(super) fn router(id: &str, name: &str, state: serde_json::Value) -> RouterDetail {
    let mut json = serde_json::json!({
        "_links": {}, "id": id, "name": name, "createdAt": "2031-01-01T00:00:00Z",
        "updatedAt": "2031-01-01T00:00:00Z", "tags": {}, "configs": null, "connected": false, "cost": 0,
        "disabled": false, "fingerprint": null, "interfaces": null, "listenerAddresses": null,
        "noTraversal": false,
    });
    if let (Some(json), serde_json::Value::Object(state)) = (json.as_object_mut(), state) {
        json.extend(state);
    }
    serde_json::from_value(json).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_stand_beside_ids() {
        let roster = Roster::of([router("r.1", "lisbon", json!({}))]);
        for (text, named) in [
            (
                "link l leads to router r.1, which is gone",
                "link l leads to router `lisbon` (r.1), which is gone",
            ),
            ("the router r.1", "the router `lisbon` (r.1)"),
            ("router r.2 and r.1", "router r.2 and r.1"),
            ("the router", "the router"),
            ("", ""),
        ] {
            assert_eq!(roster.with_names(text), named);
        }
    }
}
