//! Whatever happens to services, commands fit what was commanded before.

use crate::support::{at, commands, dialed, intercept, server, tunneler};
use portcullis_domain::identity::Precedence;
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{
    CheckId, Command, HostingTerms, InterceptOptions, InterceptRule, Mode, ProxyPort, Service,
    ServiceId, TerminatorId, TerminatorOptions, Tunneler,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone)]
enum Step {
    Set {
        service: u8,
        variant: u8,
        may_dial: bool,
        may_host: bool,
        cost: Option<u16>,
    },
    Remove(u8),
    Identity(u16),
    /// These may come late.
    Created(u8),
    Ended(u8),
    ListenEnded(u8),
    Checked {
        nth: u8,
        is_passing: bool,
    },
    Wait(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let set = (
        0..5_u8,
        0..6_u8,
        any::<bool>(),
        any::<bool>(),
        prop::option::of(0..3_u16),
    );
    prop_oneof![
        4 => set.prop_map(|(service, variant, may_dial, may_host, cost)| Step::Set {
            service, variant, may_dial, may_host, cost,
        }),
        1 => (0..5_u8).prop_map(Step::Remove),
        1 => (0..3_u16).prop_map(Step::Identity),
        3 => any::<u8>().prop_map(Step::Created),
        3 => any::<u8>().prop_map(Step::Ended),
        1 => any::<u8>().prop_map(Step::ListenEnded),
        4 => (any::<u8>(), any::<bool>()).prop_map(|(nth, is_passing)| Step::Checked { nth, is_passing }),
        4 => (0..30_u8).prop_map(Step::Wait),
    ]
}

fn service(number: u8, variant: u8) -> Service {
    let name = format!("s{number}");
    let mut host = server(80 + u16::from(variant % 2));
    if variant.is_multiple_of(3) {
        host["portChecks"] = json!([{
            "address": "127.0.0.1:80", "interval": "5s", "timeout": "1s",
            "actions": [
                {"trigger": "fail", "action": "increase cost 10"},
                {"trigger": "pass", "action": "decrease cost 10"},
                {"trigger": "change", "action": "send event"},
            ],
        }]);
    }
    let proxy = json!({"port": 8_000 + u16::from(variant % 3), "protocols": ["tcp", "udp"]});
    let network = format!("10.{}.0.0/{}", variant % 2, 8 + u16::from(number) * 4);
    let name_of_it = format!("{name}.corp");
    let config = intercept(
        &[network.as_str(), name_of_it.as_str()],
        (1, 10 + u16::from(variant)),
    );
    let mut service = dialed(&name, "intercept.v1", config);
    service.is_encrypted = variant == 5;
    service.configs.insert("proxy.v1".to_owned(), proxy);
    if variant == 4 {
        host = json!({ "terminators": [host, server(90)] });
        service.configs.insert("host.v2".to_owned(), host);
    } else {
        service.configs.insert("host.v1".to_owned(), host);
    }
    service
}

/// What has been commanded.
#[derive(Debug, Default)]
struct World {
    terminators: BTreeMap<TerminatorId, Terminator>,
    /// All that there ever were.
    known: Vec<TerminatorId>,
    running: Vec<CheckId>,
    ports: BTreeSet<ProxyPort>,
    rules: BTreeSet<InterceptRule>,
}

#[derive(Debug, PartialEq, Eq)]
struct Terminator {
    is_created: bool,
    precedence: Precedence,
    cost: u16,
}

impl World {
    fn create(&mut self, id: TerminatorId, options: &TerminatorOptions) {
        let of_server = self.terminators.keys().find(|other| other.key == id.key);
        assert_eq!(of_server, None, "{id:?} is the second one");
        assert!(!self.known.contains(&id), "{id:?} is not new");
        self.known.push(id.clone());
        let terminator = Terminator {
            is_created: false,
            precedence: options.precedence,
            cost: options.cost,
        };
        self.terminators.insert(id, terminator);
    }

    /// A terminator that has been created.
    fn created(&mut self, id: &TerminatorId) -> &mut Terminator {
        let terminator = self.terminators.get_mut(id).expect("it is there");
        assert!(terminator.is_created, "{id:?} has to be created before");
        terminator
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::CreateTerminator(id, options) => self.create(id, &options),
            Command::UpdateTerminator {
                terminator,
                precedence,
                cost,
            } => {
                let terminator = self.created(&terminator);
                let before = (terminator.precedence, terminator.cost);
                assert_ne!(before, (precedence, cost));
                terminator.precedence = precedence;
                terminator.cost = cost;
            },
            Command::RemoveTerminator(id) => {
                let before = self.terminators.remove(&id);
                assert!(before.is_some(), "{id:?} is not there");
            },
            Command::Check(check) => {
                assert!(!self.running.contains(&check.id));
                self.running.push(check.id);
            },
            Command::ReportHealth { terminator, .. } => {
                self.created(&terminator);
            },
            Command::Listen(port) => assert!(self.ports.insert(port)),
            Command::StopListening(port) => assert!(self.ports.remove(&port)),
            Command::Intercept(change) => {
                for rule in change.removed {
                    assert!(self.rules.remove(&rule));
                }
                for rule in change.added {
                    assert!(self.rules.insert(rule));
                }
            },
            Command::ReleaseNames(_)
            | Command::CheckFlows
            | Command::EndDialed(_)
            | Command::EndHosted(_) => {},
        }
    }
}

fn nth<T: Clone>(all: impl IntoIterator<Item = T>, nth: u8) -> Option<T> {
    let all: Vec<_> = all.into_iter().collect();
    let place = usize::from(nth) % all.len().max(1);
    all.get(place).cloned()
}

fn take(tunneler: &mut Tunneler, world: &mut World, step: &Step, now: &mut u64) {
    match *step {
        Step::Set {
            service: number,
            variant,
            may_dial,
            may_host,
            cost,
        } => {
            let service = Service {
                may_dial,
                may_host,
                terms: HostingTerms {
                    precedence: None,
                    cost,
                },
                ..service(number, variant)
            };
            tunneler.set_service(service, at(*now));
        },
        Step::Remove(number) => {
            tunneler.remove_service(&ServiceId::from(format!("s{number}")), at(*now));
        },
        Step::Identity(cost) => {
            let identity = TunnelerIdentity::default();
            tunneler.set_identity(identity, (Precedence::Default, cost), at(*now));
        },
        Step::Created(place) => {
            if let Some(id) = nth(world.known.clone(), place) {
                if let Some(terminator) = world.terminators.get_mut(&id) {
                    terminator.is_created = true;
                }
                tunneler.terminator_created(&id);
            }
        },
        Step::Ended(place) => {
            if let Some(id) = nth(world.known.clone(), place) {
                let before = tunneler.poll_timeout();
                tunneler.terminator_ended(&id, at(*now));
                if world.terminators.remove(&id).is_none() {
                    assert_eq!(tunneler.poll_timeout(), before, "{id:?} was no more");
                }
            }
        },
        Step::ListenEnded(place) => {
            if let Some(port) = nth(world.ports.clone(), place) {
                tunneler.listen_ended(&port, at(*now));
                world.ports.remove(&port);
            }
        },
        Step::Checked {
            nth: place,
            is_passing,
        } => {
            if let Some(check) = nth(world.running.clone(), place) {
                world.running.retain(|other| *other != check);
                tunneler.checked(&check, is_passing, at(*now));
            }
        },
        Step::Wait(seconds) => {
            *now += u64::from(seconds);
            tunneler.handle_timeout(at(*now));
        },
    }
}

proptest! {
    #[test]
    fn commands_fit_what_was_commanded_before(steps in prop::collection::vec(step(), 1..60)) {
        let mut tunneler = tunneler(Mode::Intercept(InterceptOptions::default()));
        let mut world = World::default();
        let mut now = 0;
        for step in steps {
            take(&mut tunneler, &mut world, &step, &mut now);
            for command in commands(&mut tunneler) {
                world.obey(command);
            }
        }

        tunneler.set_services(Vec::new(), at(now));
        for command in commands(&mut tunneler) {
            world.obey(command);
        }
        prop_assert_eq!(world.terminators, BTreeMap::new());
        prop_assert_eq!(world.ports, BTreeSet::new());
        prop_assert!(world.rules.len() <= 2, "only names are left: {:?}", world.rules);

        tunneler.handle_timeout(at(now + 1_000));
        prop_assert_eq!(commands(&mut tunneler), Vec::new());
        prop_assert_eq!(tunneler.poll_timeout(), None);
    }
}
