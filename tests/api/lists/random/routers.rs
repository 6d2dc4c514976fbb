//! Routers of both kinds, and terminators.

use super::{Comparison, fill, name, tags, tick};
use crate::routers::enrollment::enroll;
use crate::support::naive::{Dice, Symbol};
use crate::support::{send, text};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::{Value, json};
use std::cell::Cell;

const EDGE_ROUTERS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "fingerprint": Text = "/fingerprint";
    "cost": Integer = "/cost";
    "noTraversal": Boolean = "/noTraversal";
    "disabled": Boolean = "/disabled";
    "isVerified": Boolean = "/isVerified";
    "isTunnelerEnabled": Boolean = "/isTunnelerEnabled";
    "online": Boolean = "/isOnline";
    "connected": Boolean = "/isOnline";
    "roleAttributes": Set = "/roleAttributes";
};

const ROUTERS: &[Symbol] = &symbols! {
    "name": Text = "/name";
    "fingerprint": Text = "/fingerprint";
    "cost": Integer = "/cost";
    "noTraversal": Boolean = "/noTraversal";
    "disabled": Boolean = "/disabled";
    "connected": Boolean = "/isOnline";
};

const TERMINATORS: &[Symbol] = &symbols! {
    "binding": Text = "/binding";
    "address": Text = "/address";
    "instanceId": Text = "/identity";
    "service": Text = "/serviceId";
    "router": Text = "/routerId";
    "service.name": Text = "/service/name";
    "router.name": Text = "/router/name";
};

/// A controller whose routers and terminators are made and changed.
struct Site {
    controller: Harness,
    admin: String,
    made: Cell<usize>,
}

impl Site {
    async fn new() -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        Self {
            controller,
            admin,
            made: Cell::new(0),
        }
    }

    async fn post(&self, path: &str, body: &Value) -> String {
        let route = (Method::POST, path);
        send(&self.controller, &self.admin, route, body).await.id()
    }
}

impl Site {
    fn router(&self, dice: &mut Dice, is_edge: bool) -> Value {
        self.made.set(self.made.get() + 1);
        let mut body = json!({
            "name": name(dice, self.made.get()), "tags": tags(dice), "cost": dice.roll(4),
            "noTraversal": dice.one_in(2), "disabled": dice.one_in(4),
        });
        if is_edge {
            let words = ["a", "sales", "ops"];
            let count = dice.roll(3);
            body["roleAttributes"] = (0..count).map(|_| *dice.pick(&words)).collect();
            body["isTunnelerEnabled"] = dice.one_in(2).into();
        }
        body
    }

    async fn add_edge(&self, dice: &mut Dice) {
        let body = self.router(dice, true);
        let id = self.post("/edge-routers", &body).await;
        if body["disabled"] == false && dice.one_in(2) {
            enroll(&self.controller, &self.admin, &id).await;
        }
    }

    async fn add(&self, dice: &mut Dice) {
        if dice.one_in(2) {
            return self.add_edge(dice).await;
        }
        let body = self.router(dice, false);
        self.post("/transit-routers", &body).await;
    }

    /// Changes or deletes one.
    async fn disturb(&self, path: &str, body: Value, is_deleted: bool) {
        let method = if is_deleted {
            Method::DELETE
        } else {
            Method::PATCH
        };
        let reply = send(&self.controller, &self.admin, (method, path), &body).await;
        assert_eq!(reply.status, 200, "{path} {body}: {}", reply.text());
    }
}

#[tokio::test]
async fn edge_routers_are_what_a_simple_reading_finds() {
    compare("/edge-routers", EDGE_ROUTERS, 61).await;
}

#[tokio::test]
async fn routers_are_what_a_simple_reading_finds() {
    compare("/routers", ROUTERS, 62).await;
}

async fn compare(path: &'static str, symbols: &'static [Symbol], seed: u64) {
    let site = Site::new().await;
    let mut dice = Dice(seed);
    for _ in 0..30 {
        site.add(&mut dice).await;
    }
    let (controller, admin) = (&site.controller, &*site.admin);
    let comparison = Comparison {
        controller,
        admin,
        path,
        symbols,
    };
    comparison
        .run(seed, 300, async |dice| {
            tick(controller, dice);
            let all = list(controller, admin, "/edge-routers").await;
            if all.len() < 15 || dice.one_in(4) {
                return site.add(dice).await;
            }
            let id = text(dice.pick(&all), "id");
            let one = format!("/edge-routers/{id}");
            let body = json!({
                "cost": dice.roll(4), "tags": tags(dice), "isTunnelerEnabled": dice.one_in(2),
            });
            let is_deleted = dice.one_in(6);
            site.disturb(&one, body, is_deleted).await;
        })
        .await;
}

async fn list(controller: &Harness, admin: &str, path: &str) -> Vec<Value> {
    let path = format!("{path}?filter=true%20limit%20none");
    let Value::Array(all) = crate::support::get(controller, admin, &path).await.data() else {
        panic!("no list")
    };
    all
}

fn pick<'a>(dice: &mut Dice, all: &'a [Value]) -> Option<&'a str> {
    (!all.is_empty()).then(|| text(dice.pick(all), "id"))
}

#[tokio::test]
async fn terminators_are_what_a_simple_reading_finds() {
    let seed = 63;
    let site = Site::new().await;
    let mut dice = Dice(seed);
    for number in 0..6 {
        site.add(&mut dice).await;
        let body = json!({"name": name(&mut dice, number), "encryptionRequired": false});
        site.post("/services", &body).await;
    }
    let (controller, admin) = (&site.controller, &*site.admin);
    let services = list(controller, admin, "/services").await;
    let routers = list(controller, admin, "/routers").await;
    let terminator = |dice: &mut Dice| {
        let addresses = ["tcp:a:1", "udp:b:2", "tls:C:3"];
        json!({
            "service": pick(dice, &services), "router": pick(dice, &routers), "tags": tags(dice),
            "binding": *dice.pick(&["", "edge_transport"]), "address": *dice.pick(&addresses),
            "identity": *dice.pick(&["", "one", "two"]),
        })
    };
    fill(controller, &mut dice, 40, async |dice, _number| {
        site.post("/terminators", &terminator(dice)).await;
    })
    .await;
    let comparison = Comparison {
        controller,
        admin,
        path: "/terminators",
        symbols: TERMINATORS,
    };
    comparison
        .run(seed, 300, async |dice| {
            tick(controller, dice);
            let all = comparison.rows().await;
            let body = terminator(dice);
            match pick(dice, &all) {
                Some(id) if dice.one_in(2) => {
                    let is_deleted = dice.one_in(3);
                    let one = format!("/terminators/{id}");
                    site.disturb(&one, body, is_deleted).await;
                },
                _ => drop(site.post("/terminators", &body).await),
            }
        })
        .await;
}
