//! Catalogs against a map of their entities.

use crate::entities::{
    Model, OWNERS, any_enrollment, any_identity, any_owner, any_step, any_steps, run,
};
use crate::support::identity;
use portcullis_domain::enrollment::{EnrollmentMethod, EnrollmentMethodKind};
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{CaId, RecordNumber};
use portcullis_index::{Catalog, CatalogBuilder, CatalogEntry, Direction, Slot, SortKey};
use proptest::prelude::*;
use std::cmp::Ordering;
use std::fmt::Debug;

const SORT_KEYS: [SortKey; 3] = [SortKey::Id, SortKey::Name, SortKey::CreatedAt];
const DIRECTIONS: [Direction; 2] = [Direction::Ascending, Direction::Descending];

/// The numbers of a model in the order that the facts of lists state.
fn sorted<E: CatalogEntry>(
    model: &Model<E>,
    sort: SortKey,
    direction: Direction,
) -> Vec<RecordNumber> {
    let mut rows: Vec<_> = model.iter().collect();
    rows.sort_by(|(_, (_, left)), (_, (_, right))| {
        let by_key = match sort {
            SortKey::Id => left.id().cmp(right.id()),
            SortKey::Name => left.name().cmp(&right.name()),
            SortKey::CreatedAt => left.created_at().cmp(&right.created_at()),
        };
        let by_key = match direction {
            Direction::Ascending => by_key,
            Direction::Descending => by_key.reverse(),
        };
        by_key.then_with(|| left.id().cmp(right.id()))
    });
    rows.into_iter()
        .map(|(number, _)| RecordNumber(*number))
        .collect()
}

fn slots<E: CatalogEntry>(catalog: &Catalog<E>, is: impl Fn(Slot) -> bool) -> Vec<u32> {
    let live = catalog.live().iter();
    live.filter(|bit| is(Slot::from_bit(*bit))).collect()
}

fn assert_same<E: CatalogEntry + Debug>(catalog: &Catalog<E>, model: &Model<E>, offsets: &[usize]) {
    assert_eq!(catalog.len(), model.len());
    assert_eq!(catalog.is_empty(), model.is_empty());
    assert_eq!(catalog.live().len(), model.len() as u64);
    for sort in SORT_KEYS {
        for direction in DIRECTIONS {
            let expected = sorted(model, sort, direction);
            assert_eq!(catalog.page(sort, direction, 0, usize::MAX), expected);
            for offset in offsets {
                let page = catalog.page(sort, direction, *offset as u64, 7);
                let expected: Vec<RecordNumber> =
                    expected.iter().skip(*offset).take(7).copied().collect();
                assert_eq!(page, expected, "{sort:?} {direction:?} from {offset}");
            }
        }
        let ascending = sorted(model, sort, Direction::Ascending);
        for (rank, number) in ascending.iter().enumerate() {
            assert_eq!(catalog.rank(sort, *number), Some(rank as u64));
        }
    }
    for (number, (owner, entity)) in model {
        let slot = catalog.slot(RecordNumber(*number)).unwrap();
        assert_eq!(catalog.number(slot), Some(RecordNumber(*number)));
        assert_eq!(catalog.id(slot), Some(entity.id()));
        assert_eq!(catalog.name(slot), entity.name());
        assert_eq!(catalog.owner(slot), *owner);
        assert_eq!(
            catalog.created_at(slot),
            Some(entity.created_at().as_millisecond())
        );
        assert_eq!(
            catalog.updated_at(slot),
            Some(entity.updated_at().as_millisecond())
        );
        assert_eq!(catalog.find_by_id(entity.id()), Some(RecordNumber(*number)));
        if let Some(name) = entity.name() {
            let found = catalog.find_by_name(name).unwrap();
            assert_eq!(model[&found.0].1.name(), Some(name));
        }
    }
    assert_eq!(catalog.rank(SortKey::Id, RecordNumber(999)), None);
    assert_eq!(catalog.find_by_id("nobody"), None);
    assert_eq!(catalog.find_by_name("nobody"), None);
    assert_owned(catalog, model);
}

fn assert_owned<E: CatalogEntry>(catalog: &Catalog<E>, model: &Model<E>) {
    for owner in OWNERS {
        let mut owned: Vec<(&str, RecordNumber)> = model
            .iter()
            .filter(|(_, (of, _))| *of == Some(owner))
            .map(|(number, (_, entity))| (entity.id(), RecordNumber(*number)))
            .collect();
        owned.sort_unstable();
        let owned: Vec<RecordNumber> = owned.into_iter().map(|(_, number)| number).collect();
        assert_eq!(catalog.owned_count(owner), owned.len());
        assert_eq!(catalog.owned_by(owner, 0, usize::MAX), owned);
        assert_eq!(catalog.owned_by(owner, u64::MAX, 9), []);
        let page: Vec<RecordNumber> = owned.iter().skip(1).take(2).copied().collect();
        assert_eq!(catalog.owned_by(owner, 1, 2), page);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn identities_are_listed_as_a_sorted_vector_would_be(
        start in any_steps(any_step(30, any_identity, Just(None))),
        steps in any_steps(any_step(30, any_identity, Just(None))),
        offsets in prop::collection::vec(0_usize..40, 3),
    ) {
        let (catalog, model) = run(start, steps, |catalog, model| assert_same(catalog, model, &offsets));
        let of = |slot| &model[&catalog.number(slot).unwrap().0].1;
        let columns = catalog.columns();
        let flags = [
            (columns.routers(), slots(&catalog, |slot| of(slot).kind == IdentityType::Router)),
            (columns.admins(), slots(&catalog, |slot| of(slot).spec.is_admin)),
            (columns.default_admins(), slots(&catalog, |slot| of(slot).is_default_admin)),
            (columns.disabled(), slots(&catalog, |slot| of(slot).disabled.is_some())),
        ];
        for (bitmap, expected) in flags {
            prop_assert!(bitmap.iter().eq(expected));
        }
        for slot in catalog.live().iter().map(Slot::from_bit) {
            prop_assert_eq!(columns.kind(slot), of(slot).kind);
            prop_assert_eq!(columns.external_id(slot), of(slot).spec.external_id.as_deref());
            prop_assert!(columns.role_attributes().terms_of(slot).eq(of(slot).spec.role_attributes.iter()));
            prop_assert!(columns.auth_policies().terms_of(slot).eq([of(slot).spec.auth_policy.as_str()]));
        }
        for (word, bitmap) in columns.role_attributes().terms() {
            let expected = slots(&catalog, |slot| of(slot).spec.role_attributes.contains(word));
            prop_assert!(!expected.is_empty(), "{} is carried by nobody", word);
            prop_assert!(bitmap.iter().eq(expected));
        }
    }

    #[test]
    fn enrollments_are_listed_and_found_by_owner(
        start in any_steps(any_step(30, any_enrollment, any_owner())),
        steps in any_steps(any_step(30, any_enrollment, any_owner())),
        offsets in prop::collection::vec(0_usize..40, 3),
    ) {
        let (catalog, model) = run(start, steps, |catalog, model| assert_same(catalog, model, &offsets));
        let of = |slot| &model[&catalog.number(slot).unwrap().0].1;
        for kind in EnrollmentMethodKind::ALL {
            let expected = slots(&catalog, |slot| of(slot).purpose.method().map(EnrollmentMethod::kind) == Some(kind));
            prop_assert!(catalog.columns().with_method(kind).iter().eq(expected));
        }
        for ca in ["a", "b"] {
            let method = EnrollmentMethod::OttCa { ca: CaId::from_wire(ca) };
            let expected = slots(&catalog, |slot| of(slot).purpose.method() == Some(&method));
            let found = catalog.columns().cas().slots_with(ca).cloned().unwrap_or_default();
            prop_assert!(found.iter().eq(expected));
        }
    }
}

/// Runs of equal creation times that span many leaves: what a bulk import leaves behind.
#[test]
fn long_runs_of_one_creation_time_page_downwards_by_ascending_id() {
    let mut builder = CatalogBuilder::default();
    let mut model = Model::new();
    for number in 0..3_000_u64 {
        let id = format!("{:05}", number * 7_919 % 3_000);
        let entity = identity(&id, &format!("n{number}"), i64::from(number > 1_700));
        builder.put(RecordNumber(number), None, &entity);
        model.insert(number, (None, entity));
    }
    let catalog = builder.build();
    let expected = sorted(&model, SortKey::CreatedAt, Direction::Descending);
    for offset in [0, 1, 1_298, 1_299, 1_300, 2_998, 2_999, 3_000, 9_999] {
        let page = catalog.page(SortKey::CreatedAt, Direction::Descending, offset as u64, 50);
        let from = offset.min(expected.len());
        assert_eq!(
            page,
            expected[from..(from + 50).min(expected.len())],
            "{offset}"
        );
    }
    assert_eq!(
        catalog.page(SortKey::Id, Direction::Descending, u64::MAX, 1),
        []
    );
    assert_eq!(catalog.page(SortKey::Id, Direction::Ascending, 0, 0), []);
}

/// Building and inserting one by one must agree on texts whose first bytes do not tell them apart.
#[test]
fn building_orders_texts_as_bytes() {
    let names = [
        "a",
        "a\0",
        "a\0\0b",
        "ab",
        "abcdefgh",
        "abcdefghi",
        "abcdefgh\0",
        "b",
        "é",
        "Z",
        "zzzzzzzzz1",
    ];
    for prefix in ["", "shared-prefix-", "é"] {
        let mut builder = CatalogBuilder::default();
        let mut inserted = Catalog::default();
        for (number, name) in (0..).zip(names) {
            let entity = identity(
                &format!("{prefix}{name}"),
                &format!("{prefix}{name}"),
                -number,
            );
            builder.put(RecordNumber(number.cast_unsigned()), None, &entity);
            inserted.put(RecordNumber(number.cast_unsigned()), None, &entity);
        }
        let built = builder.build();
        for sort in SORT_KEYS {
            let page =
                |catalog: &Catalog<Identity>| catalog.page(sort, Direction::Ascending, 0, 99);
            assert_eq!(page(&built), page(&inserted), "{sort:?} {prefix:?}");
            let ids: Vec<String> = page(&built)
                .iter()
                .map(|number| built.id(built.slot(*number).unwrap()).unwrap().to_owned())
                .collect();
            let is_sorted = ids.is_sorted_by(|left, right| left.cmp(right) == Ordering::Less);
            assert_eq!(is_sorted, sort != SortKey::CreatedAt);
        }
    }
}

#[test]
fn the_memory_of_removed_entities_is_used_again() {
    let mut catalog = Catalog::default();
    let mut fill = |round: u64| {
        for number in 0..500 {
            let number = round * 500 + number;
            let name = format!("name-{number:09}");
            catalog.put(RecordNumber(number), None, &identity(&name, &name, 0));
        }
        let bytes = catalog.heap_bytes();
        for number in 0..500 {
            catalog.remove(RecordNumber(round * 500 + number));
        }
        bytes
    };
    let first = fill(0);
    let last = (1..40).map(&mut fill).last().unwrap();
    assert!(
        last < first * 2,
        "{first} bytes at first, {last} in the end"
    );
}
