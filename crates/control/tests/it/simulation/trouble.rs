//! What goes wrong, and what people do.

use super::trace;
use super::world::{Due, World};
use portcullis_testkit::StoreFault;
use portcullis_wire::control::link::FaultSubject;
use serde_json::json;
use std::time::Duration;

impl World {
    pub(crate) async fn step(&mut self) {
        let router = self.random.index(self.sites.len());
        let choice = self.random.below(32);
        trace(|| format!("step {choice} at r{router}"));
        match choice {
            0 => self.crash_router(router),
            1 => self.crash_controller().await,
            2 | 3 => self.sites[router].line.cut(),
            4 => self.stall(router),
            5 | 6 => {
                let cable = self.random.index(self.cables.len());
                self.break_cable(cable);
            },
            7 => self.change_rights().await,
            8 => self.unhost(router),
            9 => self.remove_something().await,
            10..=12 => self.close_end(router),
            13 => self.disable(router).await,
            14 => self.break_store(),
            15 | 16 => self.change_records().await,
            17 => self.change_sessions().await,
            _ => self.dial(router),
        }
        let milliseconds = if self.random.one_in(20) {
            self.random.below(90_000)
        } else {
            self.random.below(3000)
        };
        self.pass(Duration::from_millis(milliseconds)).await;
    }

    pub(crate) fn crash_router(&mut self, number: usize) {
        let Some(router) = self.sites[number].router.take() else {
            return;
        };
        self.reach("a router that crashes");
        router.crash();
        self.sites[number].line.cut();
        for cable in 0..self.cables.len() {
            if self.cables[cable].ends.contains(&number) {
                self.break_cable(cable);
            }
        }
        let time = self.delay(3000, 30_000);
        self.later(time, Due::StartRouter(number));
    }

    async fn crash_controller(&mut self) {
        if self.stage.is_some() {
            self.reach("a controller that is killed");
            self.kill_controller().await;
            let time = self.delay(2000, 20_000);
            self.later(time, Due::StartController);
        }
    }

    fn stall(&mut self, number: usize) {
        self.reach("a line that stalls");
        let most = if self.random.one_in(3) { 200 } else { 20 };
        let seconds = self.random.below(most);
        self.sites[number].line.stall(Duration::from_secs(seconds));
    }

    /// A store that can be read and written; people are told to come back later otherwise.
    fn works(&self) -> bool {
        self.stage.is_some()
            && !self
                .due
                .iter()
                .any(|(_, due)| matches!(due, Due::StoreWorks))
    }

    fn break_store(&mut self) {
        if !self.works() {
            return;
        }
        self.reach("a store that fails");
        let faults = [
            StoreFault::Unavailable,
            StoreFault::Full,
            StoreFault::Overload,
        ];
        let fault = faults[self.random.index(faults.len())];
        let after = self.random.below(40);
        if let Some(stage) = &self.stage {
            stage.controller.faults.arm(fault, after);
        }
        let time = self.delay(5000, 60_000);
        self.later(time, Due::StoreWorks);
    }

    async fn change_rights(&mut self) {
        let number = self.random.index(self.services.len());
        let dials = self.random.one_in(2);
        if !self.works() {
            return;
        }
        let service = &mut self.services[number];
        if dials {
            service.may_dial = !service.may_dial;
        } else {
            service.may_host = !service.may_host;
        }
        let (ends, service) = (!service.may_dial || !service.may_host, service.clone());
        if ends {
            self.reach("a right that ends");
        }
        if let Some(stage) = &self.stage {
            service.write(stage).await;
        }
        self.follow_rights();
    }

    /// Tunnelers follow the policies.
    pub(crate) fn follow_rights(&mut self) {
        for number in 0..self.sites.len() {
            if let Some(router) = self.router(number) {
                for service in self.services.iter().filter(|service| !service.may_host) {
                    router.lose_hosts(service.name);
                }
            }
            let time = self.delay(3000, 10_000);
            self.later(time, Due::Host(number));
        }
    }

    /// The services that a router hosts, each at most once.
    pub(crate) fn host(&mut self, number: usize) {
        let Some(router) = self.router(number) else {
            return;
        };
        for service in self.services.clone() {
            if service.may_host && router.hosts(service.name).is_empty() {
                let address = self.name(&format!("{}-", service.name));
                router.host(&service.id, &address);
            }
        }
    }

    fn unhost(&mut self, number: usize) {
        let Some(router) = self.router(number) else {
            return;
        };
        let hosted: Vec<_> = router.with(|mind| mind.hosted.iter().cloned().collect());
        for address in hosted {
            router.unhost(&address);
        }
        self.later(Duration::from_secs(8), Due::Host(number));
    }

    /// An administrator removes a circuit or a link.
    async fn remove_something(&mut self) {
        let (what, number) = (["circuits", "links"], self.random.next());
        let what = what[self.random.index(2)];
        if !self.works() {
            return;
        }
        let Some(stage) = &self.stage else {
            return;
        };
        let all = stage.fabric_list(what).await;
        let all = all.as_array().unwrap();
        if let Some(one) = all.get(usize::try_from(number).unwrap_or(0) % all.len().max(1)) {
            let id = one["id"].as_str().unwrap();
            stage.fabric_delete(&format!("{what}/{id}")).await;
        }
    }

    fn close_end(&mut self, number: usize) {
        let Some(router) = self.router(number) else {
            return;
        };
        let circuits: Vec<_> = router.with(|mind| mind.circuits.keys().cloned().collect());
        if circuits.is_empty() {
            return;
        }
        let circuit = &circuits[self.random.index(circuits.len())];
        let end = if self.random.one_in(2) {
            FaultSubject::Ingress
        } else {
            FaultSubject::Egress
        };
        router.close_end(circuit, end);
    }

    async fn disable(&mut self, number: usize) {
        if self.works() && self.disabled.insert(number) {
            self.enable(number, false).await;
            let time = self.delay(5000, 60_000);
            self.later(time, Due::EnableRouter(number));
        }
    }

    pub(crate) async fn enable(&mut self, number: usize, is_enabled: bool) {
        if !self.works() {
            return self.later(Duration::from_secs(5), Due::EnableRouter(number));
        }
        if let Some(stage) = &self.stage {
            let path = format!("edge-routers/{}", self.sites[number].id);
            stage.patch(&path, &json!({"disabled": !is_enabled})).await;
        }
        if is_enabled {
            self.disabled.remove(&number);
        }
    }

    /// What routers are told in the model.
    async fn change_records(&mut self) {
        let name = self.name("record");
        let is_new = self.random.one_in(2);
        let number = self.random.index(self.services.len());
        if !self.works() {
            return;
        }
        let Some(stage) = &self.stage else {
            return;
        };
        if is_new {
            let body = json!({"name": name, "encryptionRequired": true});
            stage.create("services", &body).await;
        } else {
            let path = format!("services/{}", self.services[number].id);
            stage.patch(&path, &json!({"roleAttributes": [name]})).await;
        }
    }

    /// Somebody logs in, or out.
    async fn change_sessions(&mut self) {
        let ends = self.random.one_in(3);
        if !self.works() {
            return;
        }
        let Some(stage) = &self.stage else {
            return;
        };
        if ends && let Some(token) = self.sessions.pop() {
            stage.log_out(&token).await;
        } else {
            let token = stage.log_in(&self.user).await;
            self.sessions.push(token);
        }
    }

    fn dial(&mut self, number: usize) {
        let service = self.random.index(self.services.len());
        self.dial_service(number, service);
    }

    pub(crate) fn dial_service(&self, number: usize, service: usize) {
        let service = &self.services[service];
        if let Some(router) = self.router(number) {
            router.dial(service.name);
        }
    }
}
