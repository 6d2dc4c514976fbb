//! What goes wrong, and what people do.

use super::{CLIENTS, Cable, Event, World};
use crate::simulation::controller::terminator;
use crate::simulation::message::ToController;
use portcullis_fabric::CircuitFault;
use std::time::Duration;

impl World {
    pub(crate) fn step(&mut self) {
        let router = self.random.index(self.routers.len());
        match self.random.below(30) {
            0 => self.crash_router(router),
            1 if self.random.one_in(2) => self.crash_controller(),
            2 | 3 => self.break_channel(router),
            4..=6 => {
                let cable = self.random.index(self.cables.len());
                self.break_cable(cable);
            },
            7 => self.change_rights(),
            8 => self.unhost(router),
            9 => self.remove_circuit(),
            10..=13 => self.close_end(router),
            14 => self.change_link(),
            _ => self.dial(router),
        }
        let milliseconds = if self.random.one_in(20) {
            self.random.below(90_000)
        } else {
            self.random.below(3000)
        };
        self.pass(Duration::from_millis(milliseconds));
    }

    pub(super) fn crash_router(&mut self, router: usize) {
        if !self.routers[router].is_up {
            return;
        }
        self.trace.add(format!("{:?} r{router} crashes", self.now));
        self.routers[router].restart();
        if let Some(channel) = self.channels[router].take() {
            self.lose_channel(channel);
        }
        for cable in 0..self.cables.len() {
            if self.cables[cable].ends.contains(&router) {
                self.break_cable(cable);
            }
        }
        let delay = self.delay(3000, 30_000);
        self.later(delay, Event::RouterStart(router));
    }

    pub(super) fn crash_controller(&mut self) {
        self.trace
            .add(format!("{:?} the controller crashes", self.now));
        if self.controller.take().is_none() {
            return;
        }
        self.generation += 1;
        let whole: Vec<_> = self
            .all_channels
            .iter()
            .filter(|(_, channel)| channel.is_whole)
            .map(|(number, _)| *number)
            .collect();
        for channel in whole {
            self.lose_channel(channel);
        }
        let delay = self.delay(2000, 20_000);
        self.later(delay, Event::ControllerStart);
    }

    pub(super) fn break_channel(&mut self, router: usize) {
        self.trace
            .add(format!("{:?} the channel of r{router} breaks", self.now));
        if let Some(channel) = self.channels[router] {
            self.lose_channel(channel);
        }
    }

    pub(super) fn lose_channel(&mut self, number: u64) {
        let channel = self.all_channels.get_mut(&number).unwrap();
        if std::mem::replace(&mut channel.is_whole, false) {
            let delay = self.delay(2000, 30_000);
            self.later(delay, Event::RouterNotices(number));
            let delay = self.delay(2000, 30_000);
            self.later(delay, Event::ControllerNotices(number));
        }
    }

    pub(super) fn break_cable(&mut self, cable: usize) {
        self.trace
            .add(format!("{:?} {:?} breaks", self.now, self.cables[cable].id));
        self.cables[cable].is_up = false;
        for end in self.cables[cable].ends {
            self.notice_later(cable, end);
        }
    }

    pub(super) fn notice_later(&mut self, cable: usize, end: usize) {
        let Cable { id, iteration, .. } = &self.cables[cable];
        let event = Event::CableNotice {
            cable,
            end,
            id: id.clone(),
            iteration: *iteration,
        };
        let delay = self.delay(500, 30_000);
        self.later(delay, event);
    }

    pub(super) fn change_rights(&mut self) {
        let client = self.random.index(4);
        self.trace
            .add(format!("{:?} other rights for {client}", self.now));
        if !self.records.allowed.remove(&client) {
            self.records.allowed.insert(client);
        }
        if let Some(controller) = &mut self.controller {
            controller.judge(&self.records);
        }
    }

    pub(super) fn unhost(&mut self, router: usize) {
        let hosted = std::mem::take(&mut self.routers[router].hosted);
        for name in hosted {
            // Sometimes nobody tells the controller.
            if self.random.one_in(2) {
                self.records.terminators.remove(&name);
                if let Some(controller) = &mut self.controller {
                    controller
                        .fabric
                        .remove_terminator(&terminator(&name, 0).id);
                }
            }
        }
        let run = self.routers[router].run;
        self.later(8000, Event::Host(router, run));
    }

    pub(super) fn remove_circuit(&mut self) {
        let is_now = self.random.one_in(2);
        let Some(controller) = &mut self.controller else {
            return;
        };
        let all: Vec<_> = controller.fabric.circuits().collect();
        if all.is_empty() {
            return;
        }
        let id = all[self.random.index(all.len())].names.circuit.clone();
        controller.fabric.remove_circuit(&id, is_now);
    }

    pub(super) fn close_end(&mut self, router: usize) {
        let circuits: Vec<_> = self.routers[router].circuits.keys().cloned().collect();
        if circuits.is_empty() {
            return;
        }
        let circuit = &circuits[self.random.index(circuits.len())];
        let fault = if self.random.one_in(2) {
            CircuitFault::Ingress
        } else {
            CircuitFault::Egress
        };
        let said = self.routers[router].close(circuit, fault);
        self.tell_controller(router, said);
    }

    pub(super) fn change_link(&mut self) {
        let cost = u32::try_from(self.random.below(200_000)).unwrap();
        let is_down = self.random.one_in(4);
        let cable = &self.cables[self.random.index(self.cables.len())];
        if let Some(controller) = &mut self.controller {
            controller.fabric.set_link_cost(&cable.id, cost);
            controller
                .fabric
                .set_link_down(&cable.id, is_down, self.now);
        }
    }

    pub(super) fn dial(&mut self, router: usize) {
        let client = usize::try_from(self.random.below(CLIENTS)).unwrap();
        let dial = self.number();
        if self.channels[router].is_some() {
            self.routers[router].dials.insert(dial, client);
            self.tell_controller(router, [ToController::Dial { dial, client }]);
        }
    }
}
