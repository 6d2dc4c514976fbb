//! What a controller has told of circuits, links and routers since it was started.

use super::world::World;
use crate::stage::Stage;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What those know who have listened from the beginning.
#[derive(Debug, Default)]
struct Listener {
    online: BTreeSet<String>,
    links: BTreeSet<String>,
    created: BTreeSet<String>,
    deleted: BTreeSet<String>,
}

impl Listener {
    fn hear(&mut self, event: &Value) {
        let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
        let kind = text("event_type");
        match &*text("namespace") {
            "router" => {
                let router = text("router_id");
                let is_news = if kind == "router-online" {
                    self.online.insert(router)
                } else {
                    self.online.remove(&router)
                };
                assert!(is_news, "a router came or went twice: {event}");
            },
            "link" => self.hear_of_link(&kind, text("link_id"), event),
            "circuit" => self.hear_of_circuit(&kind, text("circuit_id"), event),
            other => panic!("{other} is not wanted"),
        }
    }

    fn hear_of_link(&mut self, kind: &str, link: String, event: &Value) {
        let is_described = event["src_router_id"].is_string();
        match kind {
            "routerLinkNew" => drop(self.links.insert(link)),
            "fault" | "duplicate" if is_described => {
                assert!(self.links.remove(&link), "a link ends twice: {event}");
            },
            // Of a link that was gone before, or of one that is to come.
            "fault" | "duplicate" | "routerLinkDisconnectedDest" => {},
            _ => assert!(self.links.contains(&link), "an unknown link: {event}"),
        }
    }

    /// Circuits of an earlier run are told of only when they move or end.
    fn hear_of_circuit(&mut self, kind: &str, circuit: String, event: &Value) {
        assert!(!self.deleted.contains(&circuit), "after the end: {event}");
        match kind {
            "failed" => assert!(!self.created.contains(&circuit), "{event}"),
            "created" => assert!(self.created.insert(circuit), "{event}"),
            "deleted" => drop(self.deleted.insert(circuit)),
            other => assert_eq!(other, "pathUpdated"),
        }
    }
}

/// Begins to listen.
pub(crate) fn listen(stage: &Stage) {
    for event_type in ["router", "link", "circuit"] {
        stage.events.want(event_type, &json!({}));
    }
}

fn hear(stage: &Stage) -> Listener {
    let mut listener = Listener::default();
    for line in stage.events.take() {
        listener.hear(&serde_json::from_str(&line).unwrap());
    }
    listener
}

/// Checks what a controller that is killed has told.
pub(crate) fn check_killed(stage: &Stage) {
    hear(stage);
}

impl World {
    /// Checks what was told, once all circuits have ended: whoever has listened knows the network.
    pub(crate) async fn check_told(&self) {
        let stage = self.stage.as_ref().unwrap();
        let listener = hear(stage);
        let alive: Vec<_> = listener.created.difference(&listener.deleted).collect();
        assert!(alive.is_empty(), "{alive:?} did not end");
        let ids = |list: Value| -> BTreeSet<String> {
            let list = list.as_array().unwrap().iter();
            list.map(|each| each["id"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(listener.links, ids(stage.fabric_list("links").await));
        let shown = stage.get("edge-routers?filter=true%20limit%20none").await;
        let shown = shown.as_array().unwrap().iter();
        let shown: BTreeMap<_, _> = shown
            .map(|router| (router["id"].as_str().unwrap(), &router["isOnline"]))
            .collect();
        for (router, is_online) in shown {
            let was_told = listener.online.contains(router);
            assert_eq!(*is_online, json!(was_told), "{router}");
        }
    }
}
