//! The rows beside the records stay right whatever is written and removed.

mod run;

use super::super::*;
use super::exact::check_rows;
use super::support::{store, write};
use crate::key::Kind;
use proptest::prelude::*;
use run::run;
use std::collections::BTreeSet;

/// Entities of each kind, by place.
const PLACES: u8 = 3;

const WRITTEN: [Kind; 14] = [
    IDENTITY,
    CONFIG_TYPE,
    CONFIG,
    SERVICE,
    ROUTER,
    TERMINATOR,
    SERVICE_POLICY,
    EDGE_ROUTER_POLICY,
    SERVICE_EDGE_ROUTER_POLICY,
    POSTURE_CHECK,
    API_SESSION,
    SESSION,
    ENROLLMENT,
    REVOCATION,
];

#[derive(Debug, Clone)]
enum Step {
    /// Writes an entity that names others by the places in `named`; each may be taken or missing.
    Put {
        kind: Kind,
        place: u8,
        name: u8,
        named: [BTreeSet<u8>; 3],
    },
    /// Removes an entity, unless it is guarded.
    Remove { kind: Kind, place: u8 },
}

fn step() -> impl Strategy<Value = Step> {
    let kind = || prop::sample::select(&WRITTEN[..]);
    let named = || prop::collection::btree_set(0..PLACES, 0..=2);
    let put = (kind(), 0..PLACES, 0..PLACES, [named(), named(), named()]);
    prop_oneof![
        3 => put.prop_map(|(kind, place, name, named)| Step::Put { kind, place, name, named }),
        1 => (kind(), 0..PLACES).prop_map(|(kind, place)| Step::Remove { kind, place }),
    ]
}

/// The first steps: entities that others name, so that few of the later steps come to nothing.
fn ground() -> impl Iterator<Item = Step> {
    let kinds = [CONFIG_TYPE, POSTURE_CHECK, SERVICE, ROUTER, IDENTITY];
    kinds.into_iter().flat_map(|kind| {
        (0..PLACES).map(move |place| Step::Put {
            kind,
            place,
            name: place,
            named: Default::default(),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_row_is_missing_and_none_is_left_over(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let store = store();
        for (number, step) in (1..).zip(ground().chain(steps)) {
            let result = write(&store, move |rows| run(rows, number, &step));
            if let Err(WriteError::Store(error)) = result {
                panic!("{error}");
            }
            check_rows(&store);
        }
    }
}
