//! The links of a router.

use std::collections::BTreeMap;
use std::sync::Arc;

use portcullis_channel::Role;
use serde_json::{Value as Json, json};

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
        let links: Vec<_> = self.inventory.views().iter().map(shown).collect();
        let links = json!({ "links": links, "destinations": null, "errors": null });
        Inspected::Json(links).now()
    }
}

fn shown(link: &LinkView) -> Json {
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
        "dialed": link.dialed.is_some(),
        "underlays": underlays,
        "connections": connections.collect::<Vec<_>>(),
    })
}
