//! What is true once it is quiet.

use super::knowledge::Knowledge;
use super::router::Router;
use super::world::World;
use portcullis_channel::UnixNanos;
use portcullis_simulated_router::RouterOptions;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Longer than any silence is believed, and any delay between two attempts.
const QUIET: Duration = Duration::from_mins(15);

fn texts(list: &Value, name: &str) -> BTreeSet<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one[name].as_str().unwrap().to_owned())
        .collect()
}

impl World {
    pub(crate) async fn calm_down(&mut self) {
        self.is_calm = true;
        self.start_controller().await;
        self.stage.as_ref().unwrap().controller.faults.disarm();
        self.pass(QUIET).await;
        assert_eq!(self.due_links(), None, "links are not quiet");
        self.check().await;
        self.check_knowledge().await;
    }

    /// Both sides agree on links, circuits and terminators.
    pub(crate) async fn check(&mut self) {
        self.check_links().await;
        self.check_circuits().await;
        self.check_terminators().await;
    }

    /// The circuits as the controller shows them.
    pub(crate) async fn circuits(&self) -> BTreeSet<String> {
        texts(
            &self.stage.as_ref().unwrap().fabric_list("circuits").await,
            "id",
        )
    }

    async fn check_links(&self) {
        let stage = self.stage.as_ref().unwrap();
        let list = stage.fabric_list("links").await;
        let list = list.as_array().unwrap().iter();
        let believed: BTreeSet<_> = list
            .map(|link| {
                let iteration = link["iteration"].as_u64().unwrap();
                (link["id"].as_str().unwrap().to_owned(), iteration)
            })
            .collect();
        for (number, site) in self.sites.iter().enumerate() {
            let router = site.router.as_ref().unwrap();
            router.with(|mind| {
                for (id, end) in &mind.links {
                    let link = (id.clone(), u64::from(end.iteration));
                    assert!(believed.contains(&link), "r{number} alone has {link:?}");
                }
            });
        }
        let real = self.cables.iter();
        let real: BTreeSet<_> = real
            .filter(|cable| cable.is_up)
            .map(|cable| (cable.id.clone(), u64::from(cable.iteration)))
            .collect();
        assert_eq!(believed, real);
        assert_eq!(real.len(), self.cables.len(), "all links are there again");
    }

    async fn check_circuits(&mut self) {
        let stage = self.stage.as_ref().unwrap();
        let list = stage.fabric_list("circuits").await;
        let mut believed = BTreeSet::new();
        let mut is_linked = false;
        for circuit in list.as_array().unwrap() {
            let id = circuit["id"].as_str().unwrap();
            let service = circuit["service"]["id"].as_str().unwrap();
            let service = self.services.iter().find(|known| known.id == service);
            let service = service.unwrap();
            assert!(service.may_dial && service.may_host, "{circuit}");
            let nodes = texts(&circuit["path"]["nodes"], "id");
            is_linked |= nodes.len() > 1;
            for node in nodes {
                let number = self.sites.iter().position(|site| site.id == node);
                believed.insert((id.to_owned(), number.unwrap()));
            }
        }
        let mut real = BTreeSet::new();
        let mut ends = Vec::new();
        for (number, site) in self.sites.iter().enumerate() {
            site.router.as_ref().unwrap().with(|mind| {
                for (id, entry) in &mind.circuits {
                    real.insert((id.clone(), number));
                    let of = entry.ends().into_iter();
                    ends.extend(of.map(|end| (number, id.clone(), end)));
                }
            });
        }
        assert_eq!(
            believed, real,
            "circuits as the controller and routers know"
        );
        assert_eq!(ends.len(), list.as_array().unwrap().len() * 2);
        for (number, id, end) in ends {
            let arrives = self.send(number, &id, &end);
            assert!(arrives.is_some(), "{id} from {end} at r{number}");
        }
        if !believed.is_empty() {
            self.reach("a circuit");
        }
        if is_linked {
            self.reach("a circuit over a link");
        }
    }

    /// Data arrives from each end of each circuit; returns how many ends there are.
    pub(crate) fn check_data(&self) -> usize {
        let mut ends = Vec::new();
        for (number, site) in self.sites.iter().enumerate() {
            site.router.as_ref().unwrap().with(|mind| {
                for (id, entry) in &mind.circuits {
                    let of = entry.ends().into_iter();
                    ends.extend(of.map(|end| (number, id.clone(), end)));
                }
            });
        }
        for (number, id, end) in &ends {
            let arrives = self.send(*number, id, end);
            assert!(arrives.is_some(), "{id} from {end} at r{number}");
        }
        ends.len()
    }

    async fn check_terminators(&mut self) {
        let stage = self.stage.as_ref().unwrap();
        let list = stage.get("terminators?filter=true%20limit%20none").await;
        let stored: BTreeMap<_, _> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|terminator| {
                let text = |name: &str| terminator[name].as_str().unwrap().to_owned();
                (text("id"), text("routerId"))
            })
            .collect();
        let mut hosted = BTreeMap::new();
        for site in &self.sites {
            site.router.as_ref().unwrap().with(|mind| {
                let addresses = mind.hosted.iter();
                hosted.extend(addresses.map(|address| (address.clone(), site.id.clone())));
            });
        }
        for (address, router) in &stored {
            assert_eq!(hosted.get(address), Some(router), "{address} has no host");
        }
        for site in &self.sites {
            site.router.as_ref().unwrap().with(|mind| {
                for address in &mind.created {
                    // What has failed once may be gone; its host is not told.
                    assert!(
                        stored.contains_key(address) || !mind.hosted.contains(address),
                        "{address} is lost"
                    );
                }
            });
        }
        if !stored.is_empty() {
            self.reach("a terminator");
        }
    }

    async fn check_knowledge(&mut self) {
        let hello = RouterOptions::default().hello;
        let line = self.observer.line.clone();
        let observer = Router::start(&self.observer.id, hello, UnixNanos(0), line);
        self.observer.router = Some(observer.clone());
        self.pass(Duration::from_mins(1)).await;
        let knowledge = |router: &Router| router.with(|mind| mind.knowledge.clone());
        let expected = knowledge(&observer);
        assert!(expected.is_subscribed, "a new router is told everything");
        for (number, site) in self.sites.iter().enumerate() {
            let Knowledge {
                model, sessions, ..
            } = knowledge(site.router.as_ref().unwrap());
            assert_eq!(model.relations, expected.model.relations, "r{number}");
            for (key, entity) in &expected.model.entities {
                assert_eq!(model.entities.get(key), Some(entity), "r{number}");
            }
            assert_eq!(model.entities.len(), expected.model.entities.len());
            assert_eq!(sessions, expected.sessions, "r{number}");
        }
    }

    /// Nobody may dial any more; a second later nothing is left of any circuit.
    pub(crate) async fn revoke_everything(&mut self) {
        for number in 0..self.services.len() {
            self.services[number].may_dial = false;
            let service = self.services[number].clone();
            service.write(self.stage.as_ref().unwrap()).await;
        }
        self.pass(Duration::from_secs(1)).await;
        for (number, site) in self.sites.iter().enumerate() {
            site.router.as_ref().unwrap().with(|mind| {
                assert!(
                    mind.circuits.is_empty(),
                    "r{number} has {:?}",
                    mind.circuits
                );
            });
        }
    }
}
