//! Parameters, order and pages.

use crate::support::*;
use portcullis_filter::{Direction, Limit, Listing, ListingError, Offset, Page, Parameters};

fn listing(parameters: Parameters<'_>) -> Listing {
    match Listing::from_parameters(&IDENTITIES, &parameters) {
        Ok(listing) => listing,
        Err(error) => panic!("{parameters:?}: {error}"),
    }
}

fn identities() -> Vec<Entity> {
    let identity = |id: &str, name: &str| Entity::new(id).with("name", name.to_owned());
    vec![
        identity("4", "c").with("isAdmin", false),
        identity("2", "a").with("isAdmin", false),
        identity("3", "b").with("isAdmin", true),
        identity("1", "D"),
        Entity::new("5").with("isAdmin", false),
    ]
}

/// Ids of the rows of the page, joined, and the total.
fn select(filter: &str, sort: &str) -> (String, usize) {
    let listing = listing(Parameters {
        filter: Some(filter),
        sort: Some(sort),
        ..Parameters::default()
    });
    let selection = listing.select(identities());
    (
        selection.rows.iter().map(Entity::id).collect(),
        selection.total,
    )
}

#[test]
fn what_the_filter_says_wins_over_the_parameters() {
    for (filter, limit, offset, expected) in [
        ("", "", "", (10, 0)),
        ("true", "7", "3", (7, 3)),
        ("true limit 5", "7", "3", (5, 3)),
        ("true skip 1", "7", "3", (7, 1)),
        ("skip 1 limit 5", "7", "3", (5, 1)),
        ("", "", "3", (10, 3)),
        ("", "-1", "", (i64::MAX, 0)),
        ("limit none", "7", "", (i64::MAX, 0)),
        ("limit -1", "7", "", (i64::MAX, 0)),
        ("limit 0", "7", "", (10, 0)),
        ("", "0", "-5", (10, 0)),
        ("", "1000", "1000000", (500, 100_000)),
        (
            "",
            "99999999999999999999",
            "99999999999999999999",
            (500, 100_000),
        ),
        (
            "",
            "-99999999999999999999",
            "-99999999999999999999",
            (10, 0),
        ),
    ] {
        let page = listing(Parameters {
            filter: Some(filter),
            limit: Some(limit),
            offset: Some(offset),
            sort: None,
        })
        .page;
        let wire = (page.limit.on_wire(), page.offset.on_wire());
        assert_eq!(wire, expected, "{filter:?} {limit:?} {offset:?}");
    }
    let absent = listing(Parameters::default());
    assert_eq!(
        absent.page,
        Page {
            limit: Limit::default(),
            offset: Offset::default()
        }
    );
}

#[test]
fn the_sort_of_the_filter_wins_over_the_parameter() {
    let keys = |filter, sort| -> Vec<_> {
        listing(Parameters {
            filter: Some(filter),
            sort: Some(sort),
            ..Parameters::default()
        })
        .order
        .keys()
        .iter()
        .map(|key| (key.symbol.name(), key.direction))
        .collect()
    };
    let id = ("id", Direction::Ascending);
    assert_eq!(keys("", ""), [id]);
    assert_eq!(
        keys("sort by name", "isAdmin"),
        [("name", Direction::Ascending), id]
    );
    assert_eq!(
        keys("true", "isAdmin desc , name asc skip 7 limit 3"),
        [
            ("isAdmin", Direction::Descending),
            ("name", Direction::Ascending),
            id
        ]
    );
    assert_eq!(keys("true", " id desc "), [("id", Direction::Descending)]);
    let repeated = vec!["name desc, name"; 4_000].join(",");
    assert_eq!(keys("", &repeated), [("name", Direction::Descending), id]);
}

#[test]
fn paging_behind_a_sort_parameter_is_without_effect() {
    let parameters = Parameters {
        sort: Some("name skip 7 limit 3"),
        ..Parameters::default()
    };
    assert_eq!(listing(parameters).page, Page::default());
}

#[test]
fn each_wrong_parameter_is_named() {
    let wrong =
        |parameters: Parameters<'static>| Listing::from_parameters(&IDENTITIES, &parameters).err();
    let none = Parameters::default();
    for limit in ["abc", "1.5", " 1", "1e3", "-", "0x1"] {
        let found = wrong(Parameters {
            limit: Some(limit),
            ..none
        });
        assert_eq!(found, Some(ListingError::Limit), "{limit}");
        let found = wrong(Parameters {
            offset: Some(limit),
            ..none
        });
        assert_eq!(found, Some(ListingError::Offset), "{limit}");
    }
    let found = wrong(Parameters {
        filter: Some("name ="),
        sort: Some("nope"),
        ..none
    });
    assert!(matches!(found, Some(ListingError::Filter(_))), "{found:?}");
    // Also when the filter's own order wins.
    let found = wrong(Parameters {
        filter: Some("sort by name"),
        sort: Some("nope"),
        ..none
    });
    assert!(matches!(found, Some(ListingError::Sort(_))), "{found:?}");
}

#[test]
fn role_attribute_lists_have_no_default_limit() {
    let listing = Listing::from_filter(&ROLE_ATTRIBUTES, Some("sort by id desc")).unwrap();
    assert_eq!(listing.page.limit, Limit::NONE);
    let listing = Listing::from_filter(&ROLE_ATTRIBUTES, Some("limit 3")).unwrap();
    assert_eq!(listing.page.limit.rows(), Some(3));
    assert_eq!(
        Listing::from_filter(&ROLE_ATTRIBUTES, None)
            .unwrap()
            .page
            .limit,
        Limit::NONE
    );
}

#[test]
fn rows_are_ordered_with_missing_values_first_and_ids_last() {
    for (sort, expected) in [
        ("", "12345"),
        ("id desc", "54321"),
        ("name", "51234"),
        ("name desc", "43215"),
        ("isAdmin", "12453"),
        ("isAdmin desc", "32451"),
        ("isAdmin desc, name desc", "34251"),
        ("name, name desc", "51234"),
        ("externalId desc", "12345"),
    ] {
        assert_eq!(select("", sort), (expected.to_owned(), 5), "{sort}");
    }
}

#[test]
fn pages_are_cut_after_ordering_and_totals_count_all() {
    for (filter, expected, total) in [
        ("sort by name limit 2", "51", 5),
        ("sort by name skip 1 limit 2", "12", 5),
        ("sort by name skip 4 limit 2", "4", 5),
        ("sort by name skip 5 limit 2", "", 5),
        // OpenZiti gives an empty page here.
        ("sort by name skip 3 limit none", "34", 5),
        ("name != null sort by name desc limit 1", "4", 4),
        ("false", "", 0),
    ] {
        assert_eq!(select(filter, ""), (expected.to_owned(), total), "{filter}");
    }
}

#[test]
fn small_pages_of_long_lists_are_the_start_of_the_whole_order() {
    let rows: Vec<_> = (0..1000_i64)
        .map(|n| Entity::new(&format!("{n:04}")).with("name", format!("{}", n * 7919 % 101)))
        .collect();
    let ids = |filter: &str| -> (Vec<String>, usize) {
        let listing = listing(Parameters {
            filter: Some(filter),
            ..Parameters::default()
        });
        let selection = listing.select(&rows);
        (
            selection.rows.iter().map(|row| row.id()).collect(),
            selection.total,
        )
    };
    let (all, total) = ids("sort by name desc limit none");
    assert_eq!((all.len(), total), (1000, 1000));
    for (filter, range) in [
        ("sort by name desc", 0..10),
        ("sort by name desc limit 1", 0..1),
        ("sort by name desc skip 995", 995..1000),
        ("sort by name desc skip 333 limit 77", 333..410),
    ] {
        assert_eq!(ids(filter), (all[range].to_vec(), 1000), "{filter}");
    }
}
