//! Controller, routers and links, and the time that passes.

use super::line::{Address, Line};
use super::links::Cable;
use super::router::Router;
use super::{told, trace};
use crate::stage::{Killed, Stage};
use portcullis_channel::UnixNanos;
use portcullis_control::Peer;
use portcullis_domain::clock::{Clock as _, SignedDuration};
use portcullis_pki::Certificate;
use portcullis_seeded_random::Random;
use portcullis_simulated_router::{RouterIdentity, RouterOptions};
use serde_json::json;
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often is looked what is due.
const TICK: Duration = Duration::from_millis(250);
const DATA_INTERVAL: Duration = Duration::from_secs(5);
/// How often routers tell of idle circuits, and renew their subscriptions.
const IDLE_INTERVAL: Duration = Duration::from_mins(1);

/// The store that each run begins with: routers and services, and who may use them.
pub(crate) struct Beginning {
    killed: Killed,
    routers: Vec<RouterIdentity>,
    services: Vec<Service>,
    user: Vec<Certificate>,
}

/// A service, and its policies.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    dial_policy: String,
    host_policy: String,
    pub(crate) may_dial: bool,
    pub(crate) may_host: bool,
}

pub(crate) struct World {
    pub(crate) stage: Option<Stage>,
    /// Present while the controller is down.
    killed: Option<Killed>,
    address: Address,
    pub(crate) sites: Vec<Site>,
    /// A router that comes at the end, to be told everything.
    pub(crate) observer: Site,
    pub(crate) cables: Vec<Cable>,
    pub(crate) services: Vec<Service>,
    pub(crate) random: Random,
    /// For what happens by itself.
    pub(crate) delays: Random,
    pub(crate) is_calm: bool,
    pub(crate) due: Vec<(Instant, Due)>,
    pub(crate) disabled: BTreeSet<usize>,
    pub(crate) names: u64,
    /// Somebody who logs in and out, and the sessions.
    pub(crate) user: Vec<Certificate>,
    pub(crate) sessions: Vec<String>,
    reached: BTreeSet<&'static str>,
    next_data: Instant,
    next_idle: Instant,
}

/// Where a router runs.
pub(crate) struct Site {
    pub(crate) id: String,
    pub(crate) line: Line,
    pub(crate) router: Option<Router>,
}

/// What happens by itself after a while.
#[derive(Debug, Clone)]
pub(crate) enum Due {
    StartRouter(usize),
    StartController,
    StoreWorks,
    EnableRouter(usize),
    /// An end of a cable that is down is noticed.
    Notice {
        cable: usize,
        end: usize,
        id: String,
        iteration: u32,
    },
    Redial {
        cable: usize,
        id: String,
    },
    Host(usize),
}

impl Beginning {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let stage = Stage::start_promptly().await;
            stage.open_routers().await;
            let mut routers = Vec::new();
            for name in ["r0", "r1", "r2", "r3", "observer"] {
                routers.push(stage.enroll(name).await);
            }
            let mut services = Vec::new();
            for name in ["web", "mail"] {
                services.push(Service::create(&stage, name).await);
            }
            let user = stage.user().await;
            Self {
                killed: stage.kill().await,
                routers,
                services,
                user,
            }
        })
    }
}

impl Service {
    async fn create(stage: &Stage, name: &'static str) -> Self {
        let body = json!({"name": name, "encryptionRequired": name == "mail"});
        let id = stage.create("services", &body).await;
        let mut policies = Vec::new();
        for kind in ["Dial", "Bind"] {
            let body = json!({
                "name": format!("{name} {kind}"), "type": kind, "semantic": "AnyOf",
                "identityRoles": ["#all"], "serviceRoles": [format!("@{id}")],
            });
            policies.push(stage.create("service-policies", &body).await);
        }
        let [dial_policy, host_policy] = policies.try_into().unwrap();
        Self {
            id,
            name,
            dial_policy,
            host_policy,
            may_dial: true,
            may_host: true,
        }
    }

    /// Writes down who may dial and host.
    pub(crate) async fn write(&self, stage: &Stage) {
        for (policy, may) in [
            (&self.dial_policy, self.may_dial),
            (&self.host_policy, self.may_host),
        ] {
            let roles = if may { json!(["#all"]) } else { json!([]) };
            let path = format!("service-policies/{policy}");
            stage.patch(&path, &json!({"identityRoles": roles})).await;
        }
    }
}

impl World {
    /// Up to four routers, and cables between them.
    pub(crate) async fn new(beginning: &Beginning, seed: u64) -> Self {
        let mut random = Random::new(seed, "trouble");
        let routers = 2 + random.index(3);
        let cables = Cable::between(routers, &mut random);
        Self::start(beginning, (routers, cables), (seed, random)).await
    }

    /// Routers in a chain, where nothing goes wrong by itself.
    pub(crate) async fn in_order(beginning: &Beginning, routers: usize) -> Self {
        let cables = Cable::chain(routers);
        let random = Random::from_seed(0);
        let mut world = Self::start(beginning, (routers, cables), (0, random)).await;
        world.is_calm = true;
        world
    }

    async fn start(
        beginning: &Beginning,
        (routers, cables): (usize, Vec<Cable>),
        (seed, random): (u64, Random),
    ) -> Self {
        let address = Address::default();
        let site = |(number, identity): (usize, &RouterIdentity)| {
            let peer = Peer {
                address: SocketAddr::from((Ipv4Addr::LOCALHOST, 1)),
                local: SocketAddr::from((Ipv4Addr::LOCALHOST, 2)),
                certificates: identity.chain.iter().map(|each| each.to_vec()).collect(),
            };
            let random = Random::new(seed, &format!("line {number}"));
            Site {
                id: identity.id.clone(),
                line: Line::new(&identity.id, Arc::clone(&address), peer, random),
                router: None,
            }
        };
        let mut sites: Vec<_> = beginning.routers.iter().enumerate().map(site).collect();
        let observer = sites.pop().unwrap();
        sites.truncate(routers);
        let now = Instant::now();
        let mut world = Self {
            stage: None,
            killed: Some(beginning.killed.clone().with_entropy(seed)),
            address,
            sites,
            observer,
            cables,
            services: beginning.services.clone(),
            random,
            delays: Random::new(seed, "delays"),
            is_calm: false,
            due: Vec::new(),
            disabled: BTreeSet::new(),
            names: 0,
            user: beginning.user.clone(),
            sessions: Vec::new(),
            reached: BTreeSet::new(),
            next_data: now + DATA_INTERVAL,
            next_idle: now + IDLE_INTERVAL,
        };
        world.start_controller().await;
        for router in 0..world.sites.len() {
            world.start_router(router);
        }
        world.pass(Duration::from_secs(20)).await;
        world
    }

    /// Notes that something was met.
    pub(crate) fn reach(&mut self, case: &'static str) {
        self.reached.insert(case);
    }

    pub(crate) fn name(&mut self, kind: &str) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }

    pub(crate) fn later(&mut self, time: Duration, due: Due) {
        self.due.push((Instant::now() + time, due));
    }

    /// A delay, which is long now and then.
    pub(crate) fn delay(&mut self, usual: u64, long: u64) -> Duration {
        let is_long = !self.is_calm && self.delays.one_in(12);
        let most = if is_long { long } else { usual };
        Duration::from_millis(1 + self.delays.below(most))
    }

    pub(crate) async fn start_controller(&mut self) {
        if let Some(killed) = self.killed.take() {
            let stage = Stage::restart(killed).await;
            told::listen(&stage);
            *self.address.lock() = Some(stage.plane.clone());
            self.stage = Some(stage);
        }
    }

    pub(crate) async fn kill_controller(&mut self) {
        if let Some(stage) = self.stage.take() {
            stage.controller.faults.disarm();
            *self.address.lock() = None;
            told::check_killed(&stage);
            self.killed = Some(stage.kill().await);
        }
    }

    pub(crate) fn start_router(&mut self, number: usize) {
        let site = &mut self.sites[number];
        if site.router.is_none() {
            let hello = RouterOptions::default().hello;
            site.router = Some(Router::start(
                &site.id,
                hello,
                UnixNanos(0),
                site.line.clone(),
            ));
            self.dial_anew(number);
            let time = self.delay(2000, 10_000);
            self.later(time, Due::Host(number));
        }
    }

    pub(crate) fn router(&self, number: usize) -> Option<Router> {
        self.sites[number].router.clone()
    }

    /// Number of transactions so far.
    pub(crate) fn written(&self) -> u64 {
        let stage = self.stage.as_ref().unwrap();
        stage.controller.submitted_transactions()
    }

    /// The controller's clock.
    pub(crate) fn now_in_nanos(&self) -> u64 {
        let stage = self.stage.as_ref().unwrap();
        u64::try_from(stage.controller.clock.now().as_nanosecond()).unwrap()
    }

    /// Lets time pass.
    pub(crate) async fn pass(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            let step = TICK.min(end - Instant::now());
            sleep(step).await;
            if let Some(stage) = &self.stage {
                let step = SignedDuration::try_from(step).unwrap();
                stage.controller.clock.advance(step);
            }
            self.tick().await;
        }
    }

    async fn tick(&mut self) {
        let now = Instant::now();
        let (due, later) = self.due.drain(..).partition(|(at, _)| *at <= now);
        self.due = later;
        let due: Vec<(Instant, Due)> = due;
        for (_, due) in due {
            self.happen(due).await;
        }
        self.close_links();
        if now >= self.next_data {
            self.next_data = now + DATA_INTERVAL;
            self.send_data();
        }
        if now >= self.next_idle {
            self.next_idle = now + IDLE_INTERVAL;
            for site in &self.sites {
                if let Some(router) = &site.router {
                    router.report_idle();
                    router.renew_subscription();
                }
            }
        }
    }

    async fn happen(&mut self, due: Due) {
        trace(|| format!("{due:?}"));
        match due {
            Due::StartRouter(number) => self.start_router(number),
            Due::StartController => self.start_controller().await,
            Due::StoreWorks => {
                if let Some(stage) = &self.stage {
                    stage.controller.faults.disarm();
                }
            },
            Due::EnableRouter(number) => self.enable(number, true).await,
            Due::Notice {
                cable,
                end,
                id,
                iteration,
            } => self.notice(cable, end, &id, iteration),
            Due::Redial { cable, id } => self.redial(cable, &id),
            Due::Host(number) => self.host(number),
        }
    }

    pub(crate) async fn end(self) -> BTreeSet<&'static str> {
        let sites = self.sites.into_iter().chain([self.observer]);
        for router in sites.filter_map(|site| site.router) {
            router.crash();
        }
        if let Some(stage) = self.stage {
            stage.stop().await;
        }
        self.reached
    }
}
