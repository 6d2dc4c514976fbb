//! The links of a router.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portcullis_channel::Role;
use portcullis_domain::clock::Timestamp;
use portcullis_router::in_go;
use portcullis_router::links::{LinkId, LinkStatus, PeerView, TargetView};
use serde_json::{Map, Value as Json, json};

use super::time::{NEVER, seconds};
use super::{InspectFuture, Inspectable, Inspected, Subject};
use crate::links::{LinkInventory, LinkView};

/// Links, by `links`.
pub(crate) struct Links {
    inventory: Arc<dyn LinkInventory>,
}

impl Links {
    pub(crate) const KINDS: &'static [&'static str] = &["links"];

    pub(crate) fn new(inventory: Arc<dyn LinkInventory>) -> Self {
        Self { inventory }
    }
}

impl Inspectable for Links {
    fn inspect(&self, _subject: &Subject) -> InspectFuture {
        let peers = self.inventory.peers();
        let versions = versions(&peers);
        let links = self.inventory.views();
        let dialed = links.iter().filter(|link| link.dialed.is_some());
        let dialed: BTreeSet<_> = dialed.map(|link| link.id.as_str()).collect();
        let links = links.iter().map(|link| {
            let version = versions.get(link.router.as_str()).copied();
            shown(link, version.unwrap_or_default())
        });
        let links = json!({
            "links": links.collect::<Vec<_>>(),
            "destinations": peers.iter().map(|peer| destination(peer, &dialed)).collect::<Vec<_>>(),
            "errors": null,
        });
        Inspected::Json(links).now()
    }
}

/// Open links whose ids are meant, by their ids.
pub(super) fn shown_by_id(
    inventory: &dyn LinkInventory,
    is_meant: impl Fn(&str) -> bool,
) -> Map<String, Json> {
    let views = inventory.views();
    let meant: Vec<_> = views.iter().filter(|link| is_meant(&link.id)).collect();
    if meant.is_empty() {
        return Map::new();
    }
    let peers = inventory.peers();
    let versions = versions(&peers);
    let shown = meant.into_iter().map(|link| {
        let version = versions.get(link.router.as_str()).copied();
        (link.id.clone(), shown(link, version.unwrap_or_default()))
    });
    shown.collect()
}

/// Software versions of other routers, as far as they are known.
fn versions(peers: &[PeerView]) -> BTreeMap<&str, &str> {
    let known = peers.iter();
    known
        .filter_map(|peer| Some((peer.router.as_str(), peer.version.as_deref()?)))
        .collect()
}

fn shown(link: &LinkView, version: &str) -> Json {
    let mut underlays = BTreeMap::new();
    for role in &link.roles {
        let name = match role {
            Role::Default => "link.default",
            Role::High => "link.ack",
        };
        *underlays.entry(name).or_insert(0) += 1;
    }
    let connections = link.connections.iter().map(|connection| {
        json!({
            "Type": connection.kind,
            "Source": connection.local_address,
            "Dest": connection.remote_address,
        })
    });
    json!({
        "id": link.id,
        "iteration": link.iteration,
        "key": link.key,
        "split": underlays.len() > 1,
        "protocol": link.protocol,
        "dialAddress": link.dialed.as_deref().unwrap_or_default(),
        "dest": link.router,
        "destVersion": version,
        "dialed": link.dialed.is_some(),
        "underlays": underlays,
        "connections": connections.collect::<Vec<_>>(),
        "connStateIteration": link.changes,
    })
}

/// Another router, and the links to it that are wanted; `dialed` are those that this router has dialed and that are
/// open.
fn destination(peer: &PeerView, dialed: &BTreeSet<&str>) -> Json {
    let mut members = Map::new();
    members.insert("id".to_owned(), peer.router.as_str().into());
    members.insert("version".to_owned(), peer.version.as_deref().into());
    members.insert("healthy".to_owned(), peer.lost_since.is_none().into());
    if let Some(since) = peer.lost_since {
        members.insert("unhealthySince".to_owned(), seconds(since).into());
    }
    let targets = peer.targets.iter().map(|wanted| target(wanted, dialed));
    members.insert("linkStates".to_owned(), targets.collect());
    Json::Object(members)
}

fn target(target: &TargetView, dialed: &BTreeSet<&str>) -> Json {
    let (status, next_dial) = status(target);
    let established = match &target.status {
        LinkStatus::Linked(link) => link.id.as_str(),
        LinkStatus::Waiting(_) | LinkStatus::Dialing => "",
    };
    json!({
        "id": target.id.as_ref().map_or("", LinkId::as_str),
        "key": target.key.to_string(),
        "status": status,
        "dialAttempts": target.attempts,
        "connectedCount": target.opened,
        "retryDelay": in_go(target.pause).to_string(),
        "nextDial": next_dial.map_or_else(|| NEVER.to_owned(), seconds),
        "targetAddress": target.listener.address,
        "targetGroups": target.listener.groups.iter().collect::<Vec<_>>(),
        "targetBinding": target.listener.interface.as_deref().unwrap_or_default(),
        "dialerGroups": target.groups.iter().collect::<Vec<_>>(),
        "dialerBinding": target.interface.as_deref().unwrap_or_default(),
        // Whoever has dialed a link tells all controllers at once, and those that come later when they come.
        "ctrlsNotified": dialed.contains(established),
        "establishedLinkId": established,
    })
}

/// As OpenZiti's routers name it, and when it is dialed.
const fn status(target: &TargetView) -> (&'static str, Option<Timestamp>) {
    match target.status {
        LinkStatus::Linked(_) => ("established", None),
        LinkStatus::Dialing => ("dialing", None),
        LinkStatus::Waiting(at) if target.attempts == 0 => ("pending", Some(at)),
        LinkStatus::Waiting(at) => ("dialFailed", Some(at)),
    }
}
