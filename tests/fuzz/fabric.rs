//! The picture of the network: records, sessions and reports in any order, at any time.
//!
//! An input is a program: each byte chooses an event, and the bytes after it what the event is about, out
//! of a few names, so that events meet. Whatever the program is,
//!
//! - each dial is answered once, to the session that has dialed, unless that has ended;
//! - nothing else is sent to a session that has ended;
//! - no circuit outlives its right;
//! - a circuit that is gone leaves no route on a router that is connected;
//! - deadlines lie ahead, and what is due is done at once;
//! - without routers there are no links and no circuits.

mod bytes;
mod events;
mod world;

use crate::driver::fuzz;
use world::World;

/// What the events of [`events::happen`] are, by number.
pub(crate) mod event {
    pub(crate) const ROUTER: u8 = 0;
    pub(crate) const CONNECT: u8 = 1;
    pub(crate) const LINKS: u8 = 3;
    pub(crate) const SERVICE: u8 = 7;
    pub(crate) const TERMINATOR: u8 = 8;
    pub(crate) const DIAL: u8 = 9;
    pub(crate) const RESULT: u8 = 10;
    pub(crate) const CARRIED: u8 = 14;
    pub(crate) const TIME: u8 = 15;
}

/// A circuit over a link, which is then faulty, revoked, or claimed by somebody else.
fn programs() -> Vec<Vec<u8>> {
    use event::{CARRIED, CONNECT, DIAL, LINKS, RESULT, ROUTER, SERVICE, TERMINATOR, TIME};
    let network = [
        [ROUTER, 0].as_slice(),
        &[ROUTER, 1],
        &[ROUTER, 2],
        &[CONNECT, 0],
        &[CONNECT, 1],
        &[CONNECT, 2],
        &[LINKS, 0, 1, 0, 1, 1],
        &[LINKS, 0, 1, 1, 2, 1],
        &[LINKS, 2, 1, 2, 1, 1],
        &[SERVICE, 0],
        &[TERMINATOR, 0, 1, 0],
        &[TERMINATOR, 1, 2, 0],
    ];
    let open = [
        [DIAL, 0, 0, 0, 0, 0].as_slice(),
        &[RESULT, 0, 0],
        &[RESULT, 1, 0],
    ];
    let ends = [
        [4, 0, 0, 1].as_slice(),
        &[2, 1],
        &[11, 0, 0, 0],
        &[12, 2, 0, 1],
        &[13, 0, 0, 200],
        &[CARRIED, 2, 1, 0, 0, 1, 2],
        &[16, 0],
        &[17, 0],
        &[RESULT, 0, 1, TIME, 20],
        &[TIME, 60, CONNECT, 1, TIME, 60],
    ];
    let program = |end: &&[u8]| [network.concat(), open.concat(), end.to_vec()].concat();
    ends.iter().map(program).collect()
}

#[test]
fn fuzzed_events_keep_every_promise() {
    fuzz("events of the network", programs(), |program| {
        let mut world = World::new(program);
        while events::happen(&mut world)? {}
        world.calm_down()?;
        Ok(world.place())
    });
}
