//! Recorded files are played: requests make entities, and these are shown as they were then.
//!
//! What depends on more than the entity and those whom it names is taken from the recording: what the
//! viewer may do, the state of the connection of a router, tokens and certificates.

mod judge;
mod posture;
mod show;
mod world;

use crate::recorded::steps;
use world::World;

#[test]
fn entities_are_judged_and_shown_as_recorded() {
    let steps = steps();
    let (mut judged, mut shown) = (0, 0);
    for file in steps.chunk_by(|one, next| one.file() == next.file()) {
        let mut world = World::default();
        for step in file {
            if let Some(result) = world.take(step) {
                judge::check(step, &result);
                judged += 1;
            }
            shown += show::check(&world, step);
        }
    }
    println!("{judged} recorded requests were judged, {shown} entities shown");
    assert!(steps.is_empty() || judged > 120, "{judged}");
    assert!(steps.is_empty() || shown > 80, "{shown}");
}
