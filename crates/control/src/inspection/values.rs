//! What the control plane shows of itself, in the shapes of OpenZiti's controllers.
//!
//! Left out is what OpenZiti's controllers have for it and this one does not: when something was last
//! written to a router on behalf of an identity, in which intervals identities are looked at, and the names of
//! routers.

use super::data_model::{self, ModelTooLargeError};
use crate::identities::ConnectedIdentities;
use crate::model::ModelPublisher;
use crate::network::LiveFabric;
use crate::sessions::Sessions;
use portcullis_domain::ids::{RouterId, TerminatorId};
use serde_json::{Map, Value as Json, json};

/// Maximum number of entries of one value, such as identities; the rest is left out, and counted as
/// `omitted`.
const MAX_ENTRIES: usize = 100_000;

/// What is shown.
pub(super) struct Sources<'a> {
    pub(super) sessions: &'a Sessions,
    pub(super) identities: &'a ConnectedIdentities,
    pub(super) network: &'a LiveFabric,
    pub(super) model: &'a ModelPublisher,
}

impl Sources<'_> {
    /// The value with this name in lower case.
    pub(super) fn value(&self, name: &str) -> Result<Option<String>, ModelTooLargeError> {
        let value = match name {
            "router-messaging" => Some(self.router_messaging()),
            "identity-connection-statuses" => Some(self.identity_connections()),
            "data-model-index" | "router-data-model-index" => self.model_index(),
            "router-data-model" => return self.model.read(data_model::to_json).transpose(),
            name if name.starts_with("terminator-costs") => Some(self.terminator_costs()),
            _ => None,
        };
        Ok(value.map(|value| value.to_string()))
    }

    /// What routers have yet to be told of each other, and which terminators they have yet to confirm.
    fn router_messaging(&self) -> Json {
        let mut updates = Vec::new();
        let mut validations = Vec::new();
        for session in self.sessions.all() {
            let router = json!({ "id": session.id().as_str() });
            let changed = session.peers.waiting();
            if !changed.is_empty() {
                let changed: Vec<_> = changed.iter().map(RouterId::as_str).collect();
                updates.push(json!({
                    "router": router,
                    "changedRouters": changed,
                    "sendInProgress": false,
                }));
            }
            let (terminators, is_asked) = session.unconfirmed_terminators();
            if !terminators.is_empty() {
                let terminators: Vec<_> = terminators.iter().map(TerminatorId::as_str).collect();
                validations.push(json!({
                    "router": router,
                    "terminators": terminators,
                    "checkInProgress": is_asked,
                }));
            }
        }
        json!({ "routerUpdates": updates, "terminatorValidations": validations })
    }

    /// What terminators cost beside what their records say.
    fn terminator_costs(&self) -> Json {
        let now = self.network.now();
        let costs: Vec<_> = self.network.read(|fabric| {
            let costs = fabric.terminators().costs(now);
            costs
                .take(MAX_ENTRIES)
                .map(|(id, cost)| (id.clone(), cost))
                .collect()
        });
        let count = self.network.read(|fabric| fabric.terminators().len());
        let mut value = Map::new();
        mark_omitted(&mut value, count);
        let terminators = costs.into_iter().map(|(id, cost)| {
            json!({
                "terminatorId": id.as_str(),
                "circuitCount": cost.circuits,
                "failureCost": cost.failures,
                "currentCost": cost.dynamic,
            })
        });
        value.insert("terminators".to_owned(), terminators.collect());
        value.into()
    }

    /// Which identities are connected to which routers.
    fn identity_connections(&self) -> Json {
        let mut connections = Map::new();
        let mut count = 0;
        for session in self.sessions.all() {
            let router = session.id().as_str();
            for (identity, _since) in self.identities.at(session.id()) {
                let is_known = connections.contains_key(identity.as_str());
                count += usize::from(!is_known);
                if !is_known && connections.len() == MAX_ENTRIES {
                    continue;
                }
                let connection = connections.entry(identity.as_str()).or_insert_with(
                    || json!({ "connected_routers": {}, "last_reported_state": "online" }),
                );
                if let Some(routers) = connection.get_mut("connected_routers") {
                    routers[router] = json!({ "router_id": router, "closed": false });
                }
            }
        }
        let mut value = Map::new();
        mark_omitted(&mut value, count);
        value.insert("connections".to_owned(), connections.into());
        value.into()
    }

    /// How far the router data model is; none before a router wants it.
    fn model_index(&self) -> Option<Json> {
        let (timeline, index) = self.model.index()?;
        Some(json!({ "timeline": timeline, "index": index }))
    }
}

/// Says how many entries there are that are not shown.
fn mark_omitted(value: &mut Map<String, Json>, count: usize) {
    let omitted = count.saturating_sub(MAX_ENTRIES);
    if omitted > 0 {
        value.insert("omitted".to_owned(), omitted.into());
    }
}
