//! What is true once it is quiet.

use super::World;
use std::collections::BTreeSet;
use std::time::Duration;

impl World {
    pub(crate) fn calm_down(&mut self) {
        self.is_calm = true;
        self.pass(Duration::from_mins(15));
        self.check_links();
        self.check_circuits();
        let controller = self.controller.as_ref().unwrap();
        assert_eq!(controller.fabric.unclaimed(), 0);
        for session in controller.waiting.values() {
            assert!(!controller.fabric.network().is_current(*session));
        }
    }

    pub(super) fn check_links(&self) {
        let network = self.controller.as_ref().unwrap().fabric.network();
        let believed: BTreeSet<_> = network
            .links()
            .map(|link| (link.id.clone(), link.iteration))
            .collect();
        let real: BTreeSet<_> = self
            .cables
            .iter()
            .filter(|cable| cable.is_up)
            .map(|cable| (cable.id.clone(), cable.iteration))
            .collect();
        assert_eq!(believed, real, "{}", self.trace.about("\"link"));
        assert_eq!(real.len(), self.cables.len(), "all links are there again");
        for router in &self.routers {
            for (id, link) in &router.links {
                assert!(real.contains(&(id.clone(), link.iteration)), "{id:?}");
            }
        }
    }

    pub(super) fn check_circuits(&mut self) {
        let fabric = &self.controller.as_ref().unwrap().fabric;
        let mut real = BTreeSet::new();
        for (router, state) in self.routers.iter().enumerate() {
            real.extend(state.circuits.keys().map(|id| (id.clone(), router)));
        }
        let mut believed = BTreeSet::new();
        let mut ends = Vec::new();
        assert_eq!(fabric.open_circuits(), fabric.circuits().count());
        for view in fabric.circuits() {
            let id = view.names.circuit.clone();
            let about = || self.trace.about(&format!("{:?}", id.as_str()));
            assert!(view.is_open, "{id:?} {}", about());
            let routers: Vec<_> = view
                .path
                .routers()
                .iter()
                .map(|router| {
                    let name = fabric.network().router_id(*router).unwrap();
                    name.as_str()[1..].parse::<usize>().unwrap()
                })
                .collect();
            believed.extend(routers.iter().map(|router| (id.clone(), *router)));
            ends.push((routers[0], id.clone(), view.names.ingress.clone()));
            let last = *routers.last().unwrap();
            ends.push((last, id.clone(), view.names.egress.clone()));
        }
        if let Some((id, router)) = real.symmetric_difference(&believed).next() {
            let about = self.trace.about(&format!("{:?}", id.as_str()));
            let is_real = real.contains(&(id.clone(), *router));
            panic!("{id:?} at r{router}: {is_real} {about}");
        }
        for (router, id, address) in ends {
            let entry = &self.routers[router].circuits[&id];
            let ingress = entry.ingress.as_ref().map(|(address, _)| address);
            let is_there = ingress == Some(&address) || entry.egress.as_ref() == Some(&address);
            let arrives = is_there && self.send(router, &id, address.clone());
            let about = self.trace.about(&format!("{:?}", id.as_str()));
            assert!(arrives, "{id:?} from {address:?} at r{router} {about}");
        }
    }

    pub(crate) fn circuits(&self) -> usize {
        self.controller.as_ref().unwrap().fabric.circuits().count()
    }

    /// Nobody may dial any more; a second later nothing is left of any circuit.
    pub(crate) fn revoke_everything(&mut self) {
        self.records.allowed.clear();
        let controller = self.controller.as_mut().unwrap();
        controller.judge(&self.records);
        self.pass(Duration::from_secs(1));
        for router in &self.routers {
            assert!(router.circuits.is_empty(), "{:?}", router.circuits);
        }
    }
}
