//! Who wants the ports of one number.

use super::PortTaken;
use crate::command::Command;
use crate::mode::ProxyPort;
use crate::pause::Pause;
use crate::service::ServiceId;
use portcullis_channel::Moment;
use std::collections::{BTreeSet, VecDeque};

/// Ports of one protocol and one number, which differ by their bindings, and who wants them.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// No two of them are in each other's way.
    held: Vec<HeldPort>,
    /// Ports that their services have let go of, and that nobody has got yet.
    vacant: Vec<HeldPort>,
    /// Ports that others have, in the order in which they are given.
    waiting: BTreeSet<(ServiceId, ProxyPort)>,
    /// Ports that nobody has been given or refused yet.
    new: Vec<(ServiceId, ProxyPort)>,
}

/// A port that stands for a service.
#[derive(Debug)]
struct HeldPort {
    port: ProxyPort,
    service: ServiceId,
    listener: Listener,
    /// Before somebody listens again.
    pause: Pause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Listener {
    Listening { since: Moment },
    Waiting { until: Moment },
}

/// Nobody listens at a port any more.
#[derive(Debug)]
pub(super) struct ListenEnded {
    /// When to listen again.
    pub(super) again: Moment,
    /// The service that it stands for, if that does not know yet.
    pub(super) untold: Option<ServiceId>,
}

impl Claims {
    pub(super) fn claim(&mut self, service: &ServiceId, port: &ProxyPort) {
        self.new.push((service.clone(), port.clone()));
    }

    pub(super) fn release(&mut self, service: &ServiceId, port: &ProxyPort) {
        let is_other = |claim: &(ServiceId, ProxyPort)| (&claim.0, &claim.1) != (service, port);
        self.new.retain(is_other);
        self.waiting.retain(is_other);
        let mut held = self.held.iter();
        if let Some(place) = held.position(|held| held.service == *service && held.port == *port) {
            self.vacant.push(self.held.swap_remove(place));
        }
    }

    /// Gives ports to those who want them. The answer is which new claims have to wait.
    pub(super) fn settle(
        &mut self,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) -> Vec<PortTaken> {
        let mut taken = Vec::new();
        let mut opened = Vec::new();
        for (service, port) in std::mem::take(&mut self.waiting) {
            if self.in_the_way_of(&port).is_none() {
                opened.extend(self.give(service, port, now));
            } else {
                self.waiting.insert((service, port));
            }
        }
        for (service, port) in std::mem::take(&mut self.new) {
            match self.in_the_way_of(&port).cloned() {
                None => opened.extend(self.give(service, port, now)),
                Some(holder) => {
                    self.waiting.insert((service.clone(), port.clone()));
                    taken.push(PortTaken {
                        service,
                        port,
                        holder,
                    });
                },
            }
        }
        let closed = self.vacant.drain(..).filter(HeldPort::is_open);
        commands.extend(closed.map(|closed| Command::StopListening(closed.port)));
        commands.extend(opened);
        taken
    }

    /// Who has a port because of which this one cannot be had.
    fn in_the_way_of(&self, port: &ProxyPort) -> Option<&ServiceId> {
        let held = self.held.iter().find(|held| held.port.overlaps(port));
        held.map(|held| &held.service)
    }

    /// Gives a port to a service. The answer is how to open it, unless it is open.
    fn give(&mut self, service: ServiceId, port: ProxyPort, now: Moment) -> Option<Command> {
        if let Some(place) = self.vacant.iter().position(|vacant| vacant.port == port) {
            let vacant = self.vacant.swap_remove(place);
            self.held.push(HeldPort { service, ..vacant });
            return None;
        }
        self.held.push(HeldPort {
            port: port.clone(),
            service,
            listener: Listener::Listening { since: now },
            pause: Pause::FIRST,
        });
        Some(Command::Listen(port))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty() && self.waiting.is_empty() && self.new.is_empty()
    }

    pub(super) fn holder(&self, port: &ProxyPort) -> Option<&ServiceId> {
        let held = self.held.iter().find(|held| held.port == *port);
        held.map(|held| &held.service)
    }

    pub(super) fn listen_ended(&mut self, port: &ProxyPort, now: Moment) -> Option<ListenEnded> {
        let held = self.held_mut(port)?;
        let Listener::Listening { since } = held.listener else {
            return None;
        };
        if now.since(since) > Pause::LONGEST {
            held.pause = Pause::FIRST;
        }
        let is_first = held.pause == Pause::FIRST;
        let again = now + held.pause.take(port);
        held.listener = Listener::Waiting { until: again };
        let untold = is_first.then(|| held.service.clone());
        Some(ListenEnded { again, untold })
    }

    pub(super) fn listen_again(
        &mut self,
        due: Moment,
        port: &ProxyPort,
        commands: &mut VecDeque<Command>,
        now: Moment,
    ) {
        if let Some(held) = self.held_mut(port)
            && held.listener == (Listener::Waiting { until: due })
        {
            held.listener = Listener::Listening { since: now };
            commands.push_back(Command::Listen(port.clone()));
        }
    }

    fn held_mut(&mut self, port: &ProxyPort) -> Option<&mut HeldPort> {
        self.held.iter_mut().find(|held| held.port == *port)
    }
}

impl HeldPort {
    /// Whether somebody listens, or tries to.
    const fn is_open(&self) -> bool {
        matches!(self.listener, Listener::Listening { .. })
    }
}
