//! Troubles one by one, in virtual time.

use super::in_virtual_time;
use super::router::Router;
use super::world::{Beginning, Due, World};
use portcullis_channel::UnixNanos;
use portcullis_simulated_router::RouterOptions;
use portcullis_testkit::StoreFault;
use serde_json::json;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);
const HOUR: u64 = 3_600_000_000_000;
/// The services of each world.
const WEB: usize = 0;
const MAIL: usize = 1;

/// Runs a scenario with routers in a chain.
fn play(routers: usize, scenario: impl AsyncFnOnce(&mut World)) {
    let beginning = Beginning::new();
    in_virtual_time(async {
        let mut world = World::in_order(&beginning, routers).await;
        scenario(&mut world).await;
        world.end().await;
    });
}

impl World {
    /// Only one router hosts.
    async fn host_at(&mut self, number: usize) {
        for other in (0..self.sites.len()).filter(|other| *other != number) {
            for service in [WEB, MAIL] {
                let router = self.router(other).unwrap();
                for address in router.hosts(self.services[service].name) {
                    router.unhost(&address);
                }
            }
        }
        self.pass(SECOND).await;
    }

    async fn is_online(&self, number: usize) -> bool {
        let path = format!("edge-routers/{}", self.sites[number].id);
        self.stage.as_ref().unwrap().get(&path).await["isOnline"] == json!(true)
    }

    /// Ends a router, which does not start again by itself.
    pub(crate) fn end_router(&mut self, number: usize) {
        self.crash_router(number);
        self.due
            .retain(|(_, due)| !matches!(due, Due::StartRouter(_)));
    }

    fn start_with_clock(&mut self, number: usize, wall: UnixNanos) -> Router {
        let site = &mut self.sites[number];
        let hello = RouterOptions::default().hello;
        let router = Router::start(&site.id, hello, wall, site.line.clone());
        site.router = Some(router.clone());
        router
    }
}

#[test]
fn circuits_outlive_a_controller_that_is_killed() {
    play(3, async |world| {
        world.host_at(2).await;
        for service in [WEB, MAIL, WEB] {
            world.dial_service(0, service);
        }
        world.pass(SECOND).await;
        let open = world.circuits().await;
        assert_eq!(open.len(), 3);
        world.kill_controller().await;
        for _ in 0..2 {
            world.pass(20 * SECOND).await;
            world.check_data();
            world.start_controller().await;
        }
        world.pass(MINUTE).await;
        assert_eq!(world.circuits().await, open);
        world.check().await;
        for number in 0..3 {
            let heard = world.router(number).unwrap().with(|mind| mind.heard);
            assert_eq!(heard.unroutes, 0, "r{number}");
        }
        world.revoke_everything().await;
    });
}

#[test]
fn link_that_flaps_is_one_link_with_its_circuits() {
    play(3, async |world| {
        world.host_at(2).await;
        world.dial_service(0, WEB);
        world.pass(SECOND).await;
        let open = world.circuits().await;
        assert_eq!(open.len(), 1);
        for _ in 0..30 {
            world.break_cable(1);
            world.pass(3 * SECOND).await;
        }
        world.pass(MINUTE).await;
        world.check().await;
        assert_eq!(world.circuits().await, open);
        assert!(
            world.cables[1].iteration > 20,
            "it was dialed again and again"
        );
    });
}

#[test]
fn host_that_dies_while_it_is_dialed_leaves_nothing_behind() {
    play(3, async |world| {
        world.host_at(2).await;
        world.router(2).unwrap().with(|mind| mind.is_stuck = true);
        world.dial_service(0, WEB);
        world.pass(SECOND).await;
        assert_eq!(world.circuits().await.len(), 0);
        world.crash_router(2);
        world.pass(2 * MINUTE).await;
        assert_eq!(world.circuits().await.len(), 0);
        for number in 0..3 {
            let carried = world
                .router(number)
                .unwrap()
                .with(|mind| mind.circuits.len());
            assert_eq!(carried, 0, "r{number}");
        }
        // It was started again, and hosts anew.
        world.dial_service(0, WEB);
        world.pass(SECOND).await;
        assert_eq!(world.circuits().await.len(), 1);
        world.check().await;
    });
}

#[test]
fn router_that_reconnects_in_a_loop_is_one_router_and_writes_nothing() {
    play(3, async |world| {
        world.host_at(2).await;
        world.dial_service(0, WEB);
        world.pass(SECOND).await;
        let open = world.circuits().await;
        // That a session was used is written down later.
        world.pass(5 * MINUTE).await;
        let heard =
            |world: &World, number: usize| world.router(number).unwrap().with(|mind| mind.heard);
        let (before, written) = (heard(world, 1), world.written());
        for _ in 0..100 {
            world.sites[1].line.cut();
            world.pass(3 * SECOND).await;
        }
        let loops = heard(world, 1).greetings - before.greetings;
        assert!(loops > 50, "{loops} greetings");
        assert_eq!(world.written(), written);
        // Others are told that it is gone and that it is there, and no more.
        let told = heard(world, 0).peers;
        assert!(told <= 2 * loops + 10, "{told} for {loops}");
        world.pass(MINUTE).await;
        assert!(world.is_online(1).await);
        assert_eq!(world.circuits().await, open);
        world.check().await;
    });
}

#[test]
fn router_whose_clock_is_an_hour_off_is_like_any_other() {
    play(2, async |world| {
        let now = world.now_in_nanos();
        for number in 0..2 {
            world.end_router(number);
        }
        let ahead = world.start_with_clock(0, UnixNanos(now + HOUR));
        let behind = world.start_with_clock(1, UnixNanos(now - HOUR));
        for number in 0..2 {
            world.dial_anew(number);
            world.later(SECOND, Due::Host(number));
        }
        world.pass(10 * SECOND).await;
        world.dial_service(0, WEB);
        world.pass(5 * MINUTE).await;
        for router in [ahead, behind] {
            assert_eq!(
                router.with(|mind| mind.heard.greetings),
                1,
                "one connection"
            );
        }
        assert_eq!(world.circuits().await.len(), 1);
        world.check().await;
    });
}

#[test]
fn reports_to_a_store_that_refuses_writes_are_kept_in_the_end() {
    play(2, async |world| {
        let fail = |world: &World, fault| {
            let controller = &world.stage.as_ref().unwrap().controller;
            controller.faults.arm(fault, 0);
        };
        for fault in [
            StoreFault::Full,
            StoreFault::Unavailable,
            StoreFault::Overload,
        ] {
            // It comes back without its hosts, and as another version.
            world.end_router(1);
            world.pass(SECOND).await;
            fail(world, fault);
            let version = format!("v2.1.{}", world.name(""));
            let mut hello = RouterOptions::default().hello;
            hello.version.version.clone_from(&version);
            let site = &mut world.sites[1];
            let router = Router::start(&site.id, hello, UnixNanos(0), site.line.clone());
            site.router = Some(router.clone());
            world.dial_anew(1);
            world.later(SECOND, Due::Host(1));
            world.pass(MINUTE).await;
            let controller = &world.stage.as_ref().unwrap().controller;
            assert!(controller.faults.disarm(), "{fault:?} was met");
            world.pass(3 * MINUTE).await;
            world.check().await;
            assert_eq!(router.with(|mind| mind.created.len()), 2, "both services");
            world.end_router(1);
            world.pass(SECOND).await;
            let path = format!("edge-routers/{}", world.sites[1].id);
            let shown = world.stage.as_ref().unwrap().get(&path).await;
            assert_eq!(shown["versionInfo"]["version"], json!(version), "{fault:?}");
            world.start_router(1);
            world.pass(MINUTE).await;
        }
    });
}

#[test]
fn router_that_stalls_is_given_up_and_comes_back() {
    play(2, async |world| {
        world.sites[1].line.stall(5 * MINUTE);
        world.pass(2 * MINUTE).await;
        assert!(!world.is_online(1).await);
        assert!(world.is_online(0).await);
        world.pass(6 * MINUTE).await;
        assert!(world.is_online(1).await);
        world.check().await;
    });
}
