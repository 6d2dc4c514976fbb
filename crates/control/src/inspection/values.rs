//! What the control plane shows of itself, in the shapes of OpenZiti's controllers.
//!
//! Left out is what OpenZiti's controllers have for it and this one does not: when something was last
//! written to a router on behalf of an identity.

use super::data_model::{self, ModelTooLargeError};
use crate::events::SCAN_INTERVAL;
use crate::identities::{ConnectedIdentities, IdentityConnections};
use crate::model::ModelPublisher;
use crate::network::LiveFabric;
use crate::sessions::Sessions;
use portcullis_app::fabric::router_names;
use portcullis_app::{App, AppError};
use portcullis_domain::clock::{SignedDuration, Timestamp, saturating_add};
use portcullis_domain::ids::{RouterId, TerminatorId};
use portcullis_events::SdkStatusKind;
use portcullis_fabric::Moment;
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of entries of one value, such as identities; the rest is left out, and counted as
/// `omitted`.
const MAX_ENTRIES: usize = 100_000;

/// A time that has not come, as OpenZiti's controllers write it.
const NEVER: &str = "0001-01-01 00:00:00";

/// What is shown.
pub(super) struct Sources<'a> {
    pub(super) sessions: &'a Sessions,
    pub(super) identities: &'a ConnectedIdentities,
    pub(super) network: &'a LiveFabric,
    pub(super) model: &'a ModelPublisher,
    pub(super) app: &'a App,
}

/// Why a value is not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum ValueError {
    #[error(transparent)]
    TooLarge(#[from] ModelTooLargeError),
    #[error("the names of routers cannot be read")]
    Names(#[from] AppError),
}

impl Sources<'_> {
    /// The value with this name in lower case.
    pub(super) fn value(&self, name: &str) -> Result<Option<String>, ValueError> {
        let value = match name {
            "router-messaging" => Some(self.router_messaging()?),
            "identity-connection-statuses" => Some(self.identity_connections()),
            "data-model-index" | "router-data-model-index" => self.model_index(),
            "router-data-model" => {
                let shown = self.model.read(data_model::to_json);
                return Ok(shown.transpose()?);
            },
            name if name.starts_with("terminator-costs") => Some(self.terminator_costs()),
            _ => None,
        };
        Ok(value.map(|value| value.to_string()))
    }

    /// What routers have yet to be told of each other, and which terminators they have yet to confirm.
    fn router_messaging(&self) -> Result<Json, AppError> {
        let (mut updates, mut validations) = (Vec::new(), Vec::new());
        let mut routers = BTreeSet::new();
        for session in self.sessions.all() {
            let changed = session.peers.waiting();
            if !changed.routers.is_empty() {
                routers.extend(changed.routers.iter().cloned());
                updates.push((session.id().clone(), changed));
            }
            let unconfirmed = session.unconfirmed_terminators();
            if !unconfirmed.ids.is_empty() {
                validations.push((session.id().clone(), unconfirmed));
            }
        }
        routers.extend(updates.iter().map(|(router, _)| router.clone()));
        routers.extend(validations.iter().map(|(router, _)| router.clone()));
        let names = router_names(self.app, routers)?;
        let updates = updates.into_iter().map(|(router, changed)| {
            let of = changed.routers.iter().map(|router| named(&names, router));
            json!({
                "router": named(&names, &router),
                "version": changed.version,
                "changedRouters": of.collect::<Vec<_>>(),
                // What is being sent waits no longer.
                "sendInProgress": false,
            })
        });
        let validations = validations.into_iter().map(|(router, unconfirmed)| {
            let terminators = unconfirmed.ids.iter().map(TerminatorId::as_str);
            let last = unconfirmed.last_asked.map(|at| self.time_of(at));
            json!({
                "router": named(&names, &router),
                "terminators": terminators.collect::<Vec<_>>(),
                "checkInProgress": unconfirmed.is_asked,
                "lastSend": last.map_or_else(|| NEVER.to_owned(), to_the_second),
            })
        });
        Ok(json!({
            "routerUpdates": none_if_empty(updates.collect()),
            "terminatorValidations": none_if_empty(validations.collect()),
        }))
    }

    /// A moment of the past by the clock on the wall.
    fn time_of(&self, at: Moment) -> Timestamp {
        let ago = self.network.now().since(at);
        let ago = SignedDuration::try_from(ago).unwrap_or(SignedDuration::MAX);
        saturating_add(self.app.env().now(), -ago)
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
        let (identities, count) = self.identities.views(MAX_ENTRIES);
        let mut value = Map::new();
        mark_omitted(&mut value, count);
        let connections = identities.into_iter().map(|identity| {
            let shown = identity_connection(&identity);
            (identity.identity.as_str().to_owned(), shown)
        });
        let connections: Map<_, _> = connections.collect();
        value.insert("connections".to_owned(), connections.into());
        let minutes = SCAN_INTERVAL.as_secs() / 60;
        value.insert("scanInterval".to_owned(), format!("{minutes}m0s").into());
        value.into()
    }

    /// How far the router data model is; none before a router wants it.
    fn model_index(&self) -> Option<Json> {
        let (timeline, index) = self.model.index()?;
        Some(json!({ "timeline": timeline, "index": index }))
    }
}

fn identity_connection(identity: &IdentityConnections) -> Json {
    let routers = identity.routers.iter().map(|(router, is_open)| {
        let router = router.as_str();
        let shown = json!({ "router_id": router, "closed": !is_open });
        (router, shown)
    });
    json!({
        "connected_routers": routers.collect::<BTreeMap<_, _>>(),
        "last_reported_state": match identity.status {
            SdkStatusKind::Online => "online",
            SdkStatusKind::Offline => "offline",
            SdkStatusKind::Unknown => "unknown",
        },
    })
}

fn named(names: &BTreeMap<RouterId, String>, router: &RouterId) -> Json {
    let name = names.get(router).map(String::as_str).unwrap_or_default();
    json!({ "id": router.as_str(), "name": name })
}

/// Empty lists are null, as at OpenZiti's controllers.
fn none_if_empty(items: Vec<Json>) -> Option<Vec<Json>> {
    Some(items).filter(|items| !items.is_empty())
}

fn to_the_second(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Says how many entries there are that are not shown.
fn mark_omitted(value: &mut Map<String, Json>, count: usize) {
    let omitted = count.saturating_sub(MAX_ENTRIES);
    if omitted > 0 {
        value.insert("omitted".to_owned(), omitted.into());
    }
}
