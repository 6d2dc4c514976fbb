//! Who may use what, against a naive reading of the policies.

mod compare;
mod following;
mod naive;
mod ops;
mod readers;
mod told;
mod view;
mod world;

use compare::compare;
use naive::{Kind, Names};
use ops::{List, Op, any_op};
use portcullis_index::PolicyKind;
use proptest::prelude::*;
use proptest::test_runner::Config;
use told::Told;
use world::World;

proptest! {
    #![proptest_config(Config { cases: 10_000, ..Config::default() })]

    #[test]
    fn access_is_what_the_policies_say(ops in prop::collection::vec(any_op(), 1..24)) {
        let (told, world) = run(ops);
        compare(&told, world.view())?;
    }
}

fn run(ops: impl IntoIterator<Item = Op>) -> (Told, World) {
    let (mut told, mut world) = (Told::default(), World::default());
    for op in ops {
        for change in told.run(op) {
            world.apply(&change);
        }
    }
    (told, world)
}

#[test]
fn policies_select_edge_routers_only() {
    let list = || List::Of(Names::new(), vec![0, 1]);
    for routers in [List::All, list()] {
        let (told, world) = run([
            Op::Put(Kind::Transit, 0, Names::new()),
            Op::Put(Kind::Identity, 0, Names::new()),
            Op::Put(Kind::Router, 0, Names::new()),
            Op::Say(
                PolicyKind::EdgeRouter,
                0,
                false,
                false,
                [list(), routers, List::All],
            ),
        ]);
        let view = world.view();
        let identity = view.slot(Kind::Identity, &told.ids(Kind::Identity)[0]);
        let routers = view.access.routers_of_identity(identity, view.kinds);
        let edge: Names = told.ids(Kind::Router).into_iter().collect();
        assert_eq!(view.ids(Kind::Router, routers), edge);
        let transit = view.slot(Kind::Transit, &told.ids(Kind::Transit)[0]);
        let identities = view.access.identities_of_router(transit, view.kinds);
        assert!(identities.is_empty());
    }
}
