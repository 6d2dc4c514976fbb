//! Links as routers make and lose them.

use super::{Event, World};
use crate::simulation::message::ToController;
use crate::simulation::router::LinkEnd;
use portcullis_fabric::LinkId;

impl World {
    pub(super) fn notice_cable(&mut self, cable: usize, end: usize, id: &LinkId, iteration: u32) {
        let router = &mut self.routers[end];
        if router
            .links
            .get(id)
            .is_none_or(|link| link.iteration != iteration)
        {
            return;
        }
        self.drop_link(cable, end, id, iteration);
    }

    pub(super) fn drop_link(&mut self, cable: usize, end: usize, id: &LinkId, iteration: u32) {
        let Some(link) = self.routers[end].links.remove(id) else {
            return;
        };
        let message = ToController::LinkFault {
            link: id.clone(),
            iteration,
        };
        self.tell_controller(end, [message]);
        if link.is_source {
            let run = self.routers[end].run;
            let delay = self.delay(1000, 10_000);
            self.later(delay, Event::Redial(cable, run));
        }
    }

    pub(super) fn redial(&mut self, cable: usize, run: u64) {
        let [source, destination] = self.cables[cable].ends;
        let id = self.cables[cable].id.clone();
        let is_wanted = self.routers[source].is_up
            && self.routers[source].run == run
            && !self.routers[source].links.contains_key(&id);
        if !is_wanted {
            return;
        }
        if !self.routers[destination].is_up {
            self.later(5000, Event::Redial(cable, run));
            return;
        }
        let state = &mut self.cables[cable];
        state.iteration += 1;
        state.is_up = true;
        let iteration = state.iteration;
        for (end, peer) in [(source, destination), (destination, source)] {
            let link = LinkEnd {
                peer,
                iteration,
                is_source: end == source,
            };
            self.routers[end].links.insert(id.clone(), link);
        }
        let links = self.routers[source].dialed();
        let links = links.into_iter().filter(|link| link.id == id).collect();
        let message = ToController::Links {
            links,
            is_full: false,
        };
        self.tell_controller(source, [message]);
    }

    pub(super) fn close_link(&mut self, router: usize, id: &LinkId, iteration: u32) {
        let link = self.routers[router].links.get(id);
        let Some(known) = link.map(|link| link.iteration) else {
            return;
        };
        if iteration != 0 && known > iteration {
            return;
        }
        let cable = self.cables.iter().position(|cable| cable.id == *id);
        let Some(cable) = cable else {
            // Of a router that was restarted: the end is noticed soon.
            self.routers[router].links.remove(id);
            return;
        };
        self.cables[cable].is_up = false;
        for end in self.cables[cable].ends {
            if end != router {
                self.notice_later(cable, end);
            }
        }
        self.drop_link(cable, router, id, known);
    }
}
