//! Access in the projections, which follow groups of commits and load anew in between.

use super::compare::compare;
use super::ops::{Op, any_op};
use super::told::Told;
use super::view::View;
use portcullis_domain::change::Change;
use portcullis_index::Projections;
use proptest::prelude::*;
use proptest::test_runner::Config;

/// What happens to the projections.
#[derive(Debug, Clone)]
enum Step {
    /// A group is committed.
    Commit(Vec<Op>),
    /// The store is scanned, its records coming in an order that the number chooses, while groups
    /// are committed.
    Load(u64, Vec<Vec<Op>>),
}

proptest! {
    #![proptest_config(Config { cases: 1_000, ..Config::default() })]

    #[test]
    fn after_each_group_access_is_what_the_policies_say(
        steps in prop::collection::vec(any_step(), 1..8),
    ) {
        let mut followed = Followed::new();
        for step in steps {
            match step {
                Step::Commit(ops) => followed.commit(ops),
                Step::Load(order, meanwhile) => followed.load(order, meanwhile),
            }
            let guard = followed.projections.access();
            compare(&followed.told, View::of(&guard))?;
        }
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    let group = || prop::collection::vec(any_op(), 1..10);
    prop_oneof![
        4 => group().prop_map(Step::Commit),
        1 => (any::<u64>(), prop::collection::vec(group(), 0..3))
            .prop_map(|(order, meanwhile)| Step::Load(order, meanwhile)),
    ]
}

struct Followed {
    told: Told,
    projections: Projections,
    revision: u64,
}

impl Followed {
    fn new() -> Self {
        let projections = Projections::default();
        projections.begin_load();
        projections.finish_load(0);
        Self {
            told: Told::default(),
            projections,
            revision: 0,
        }
    }

    fn commit(&mut self, ops: Vec<Op>) {
        let changes: Vec<Change> = ops.into_iter().flat_map(|op| self.told.run(op)).collect();
        self.revision += 1;
        self.projections.apply(self.revision, &changes);
    }

    fn load(&mut self, order: u64, meanwhile: Vec<Vec<Op>>) {
        self.projections.begin_load();
        let scanned_at = self.revision;
        for record in shuffled(self.told.records(), order) {
            self.projections.load_put(&record);
        }
        for ops in meanwhile {
            self.commit(ops);
        }
        self.projections.finish_load(scanned_at);
    }
}

/// Takes the one of those left that `order` chooses, until none is left.
fn shuffled(mut records: Vec<Change>, mut order: u64) -> Vec<Change> {
    let mut shuffled = Vec::new();
    while !records.is_empty() {
        order = order
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let which = usize::try_from(order >> 33).unwrap() % records.len();
        shuffled.push(records.swap_remove(which));
    }
    shuffled
}
