//! Random sequences of writes keep secondary rows exact.

mod run;

use crate::exact_rows::assert_rows_exact;
use crate::support::{store, write};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::*;
use proptest::prelude::*;
use run::run;
use std::collections::BTreeSet;

/// Number of entities of each kind.
const SLOTS: u8 = 3;

/// Kinds that other tests write. All others have steps in `run.rs`.
const UNWRITTEN: [Kind; 6] = [
    AUTH_POLICY,
    AUTHENTICATOR,
    CA,
    SIGNER,
    SESSION_CERTIFICATE,
    MFA,
];

#[derive(Debug, Clone)]
enum Step {
    /// Writes an entity that refers to others by the slots in `named`, which may be in use or
    /// missing.
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
    let written = KINDS.iter().filter(|kind| !UNWRITTEN.contains(kind));
    let written: Vec<Kind> = written.copied().collect();
    let kind = || prop::sample::select(written.clone());
    let named = || prop::collection::btree_set(0..SLOTS, 0..=2);
    let put = (kind(), 0..SLOTS, 0..SLOTS, [named(), named(), named()]);
    prop_oneof![
        3 => put.prop_map(|(kind, place, name, named)| Step::Put { kind, place, name, named }),
        1 => (kind(), 0..SLOTS).prop_map(|(kind, place)| Step::Remove { kind, place }),
    ]
}

/// Initial steps: entities that others refer to, so that most later steps succeed.
fn initial_steps() -> impl Iterator<Item = Step> {
    let kinds = [CONFIG_TYPE, POSTURE_CHECK, SERVICE, ROUTER, IDENTITY];
    kinds.into_iter().flat_map(|kind| {
        (0..SLOTS).map(move |place| Step::Put {
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
        for (number, step) in (1..).zip(initial_steps().chain(steps)) {
            let result = write(&store, move |rows| run(rows, number, &step));
            if let Err(WriteError::Store(error)) = result {
                panic!("{error}");
            }
            assert_rows_exact(&store);
        }
    }
}
