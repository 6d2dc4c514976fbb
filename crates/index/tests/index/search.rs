//! Lists answered by catalogs against lists answered by looking at every record.

use crate::entities::{
    Model, Step, any_authenticator, any_edge_router_policy, any_enrollment, any_identity,
    any_identity_of_a_team, any_owner, any_policy, any_service_session, any_step, any_terminator,
    run,
};
use crate::rows::{Listed, Record};
use crate::support::{at, identity};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::change::Owner;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::Enrollment;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::policies::EdgeRouterPolicy;
use portcullis_domain::session::Session;
use portcullis_domain::terminator::Terminator;
use portcullis_filter::{Listing, Parameters};
use portcullis_index::Catalog;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use std::collections::BTreeSet;
use std::fmt::Debug;

const COMPARE: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

/// What the texts of the entities are, begin with, have as a part, or are like.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "[a-cAB5éſı]{0,2}",
        1 => "[a-d]",
        1 => "[01]-[0-9a-f]{0,3}",
        1 => select(vec!["", "device-", "DEVICE-A", "S", "I", "-", "5", "Router", "r", "default",
            "strict", "updb", "cert", "true", "é", "e-a"])
            .prop_map(str::to_owned),
    ]
}

fn any_instant() -> impl Strategy<Value = String> {
    // Between milliseconds, too.
    (-7_i64..7).prop_map(|half| {
        let instant = Timestamp::from_microsecond(half * 500).unwrap();
        format!("datetime({instant})")
    })
}

/// A test of a text, without its subject.
fn text_test() -> impl Strategy<Value = String> {
    let word = select(vec![
        "contains",
        "not contains",
        "icontains",
        "not icontains",
    ]);
    let list = (
        select(vec!["in", "not in"]),
        prop::collection::vec(any_text(), 1..4),
    );
    prop_oneof![
        3 => (select(&COMPARE[..]), any_text()).prop_map(|(op, text)| format!(r#"{op} "{text}""#)),
        4 => (word, any_text()).prop_map(|(word, text)| format!(r#"{word} "{text}""#)),
        2 => list.prop_map(|(word, texts)| format!("{word} {texts:?}")),
        1 => (select(&COMPARE[..]), 0..9).prop_map(|(op, number)| format!("{op} {number}")),
        1 => select(vec!["= null", "!= null", "contains 5", "in [5, 1]"]).prop_map(str::to_owned),
    ]
}

fn instant_test() -> impl Strategy<Value = String> {
    let range = (
        any_instant(),
        any_instant(),
        select(vec!["between", "not between"]),
    );
    prop_oneof![
        3 => (select(&COMPARE[..]), any_instant()).prop_map(|(op, instant)| format!("{op} {instant}")),
        2 => range.prop_map(|(low, high, word)| format!("{word} {low} and {high}")),
        1 => prop::collection::vec(any_instant(), 1..3)
            .prop_map(|instants| format!("in [{}]", instants.join(", "))),
        1 => select(vec!["= null", "!= null"]).prop_map(str::to_owned),
    ]
}

fn boolean_test() -> impl Strategy<Value = String> {
    select(vec![
        "", "= true", "= false", "!= true", "!= false", "= null", "!= null",
    ])
    .prop_map(str::to_owned)
}

fn number_test() -> impl Strategy<Value = String> {
    prop_oneof![
        (select(&COMPARE[..]), 0..4).prop_map(|(op, number)| format!("{op} {number}")),
        select(vec![
            "between 1 and 2.5",
            "in [0, 2]",
            "not in [1]",
            "contains \"1\""
        ])
        .prop_map(str::to_owned),
    ]
}

fn on(
    symbols: &'static [&'static str],
    test: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<String> {
    (select(symbols), test)
        .prop_map(|(symbol, test)| format!("{symbol} {test}").trim_end().to_owned())
        .boxed()
}

fn any_leaf<E: Listed>() -> impl Strategy<Value = String> {
    let mut leaves = vec![
        (6, on(E::TEXTS, text_test())),
        (3, on(&["createdAt", "updatedAt"], instant_test())),
        (2, on(E::BOOLEANS, boolean_test())),
        (2, on(E::UNHELD, text_test())),
        (
            1,
            select(vec!["true", "false"])
                .prop_map(str::to_owned)
                .boxed(),
        ),
    ];
    if let [set, ..] = E::SETS {
        let each = (select(vec!["anyOf", "allOf"]), text_test());
        let count = number_test().prop_map(move |test| format!("count({set}) {test}"));
        leaves.push((
            4,
            each.prop_map(move |(of, test)| format!("{of}({set}) {test}"))
                .boxed(),
        ));
        leaves.push((1, count.boxed()));
        leaves.push((1, Just(format!("isEmpty({set})")).boxed()));
    }
    Union::new_weighted(leaves)
}

fn any_filter<E: Listed + 'static>() -> impl Strategy<Value = String> {
    any_leaf::<E>().prop_recursive(3, 10, 4, |inner| {
        let parts = prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            3 => (select(vec![" and ", " or "]), parts).prop_map(|(word, parts)| {
                let parts: Vec<String> = parts.iter().map(|part| format!("({part})")).collect();
                parts.join(word)
            }),
            1 => inner.prop_map(|part| format!("not ({part})")),
        ]
    })
}

fn any_sort<E: Listed>() -> impl Strategy<Value = String> {
    let symbols = [
        E::TEXTS,
        E::BOOLEANS,
        &["id", "createdAt", "updatedAt", "createdAt"],
    ]
    .concat();
    let key = (select(symbols), select(vec!["", " asc", " desc"]));
    prop::collection::vec(key, 0..4).prop_map(|keys| {
        let keys: Vec<String> = keys
            .iter()
            .map(|(symbol, direction)| format!("{symbol}{direction}"))
            .collect();
        keys.join(", ")
    })
}

/// Filter, sort, offset and limit.
type Query = (String, String, usize, i64);

fn any_query<E: Listed + 'static>() -> impl Strategy<Value = Query> {
    let offset = prop_oneof![Just(0), 0..30_usize];
    let limit = prop_oneof![1 => Just(-1), 3 => 1..12_i64];
    (any_filter::<E>(), any_sort::<E>(), offset, limit)
}

fn listing<E: Listed>(query: &Query) -> Listing {
    let (filter, sort, offset, limit) = query;
    let parameters = Parameters {
        filter: Some(filter),
        sort: Some(sort),
        offset: Some(&offset.to_string()),
        limit: Some(&limit.to_string()),
    };
    let listing = Listing::from_parameters(E::SCHEMA, &parameters);
    assert!(listing.is_ok(), "{query:?}: {listing:?}");
    listing.unwrap()
}

/// Answers a query as a list does, and compares with looking at all.
fn assert_answered<E: Listed>(catalog: &Catalog<E>, model: &Model<E>, query: &Query) {
    let listing = listing::<E>(query);
    let records = model
        .iter()
        .map(|(number, (_, entity))| Record(*number, entity));
    let expected = listing.select(records);
    let matches_record = |number: &RecordNumber| {
        let entity = &model[&number.0].1;
        listing.predicate.matches(&Record(number.0, entity))
    };

    let mut matches = catalog.search(&listing.predicate);
    let found: Vec<RecordNumber> = catalog.numbers(&matches).collect();
    assert_eq!(matches.len(), found.len(), "{query:?}");
    assert_eq!(matches.is_empty(), found.is_empty());
    assert_eq!(matches.is_all(), found.len() == model.len());
    assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len());
    let is_held = !E::UNHELD.iter().any(|symbol| query.0.contains(symbol));
    assert!(matches.is_exact() || !is_held, "{query:?}");
    if !matches.is_exact() {
        matches = catalog.matches_from_numbers(found.into_iter().filter(matches_record));
    }
    assert!(matches.is_exact());
    assert!(
        catalog
            .numbers(&matches)
            .all(|number| matches_record(&number)),
        "{query:?}"
    );
    assert_eq!(matches.len(), expected.total, "{query:?}");

    assert_within(catalog, model, &listing, query);
    let range = listing.page.range(matches.len());
    let page = catalog.page_in(&matches, &listing.order, range);
    let expected = expected
        .rows
        .iter()
        .map(|record| RecordNumber(record.0))
        .collect();
    assert_eq!(page, Some(expected), "{query:?}");
}

/// Asks the same of what one owner has, and of the even numbers.
fn assert_within<E: Listed>(
    catalog: &Catalog<E>,
    model: &Model<E>,
    listing: &Listing,
    query: &Query,
) {
    let even = |number: &u64| number.is_multiple_of(2);
    let most = model.keys().last().map_or(0, |last| last + 9);
    let owned = model
        .iter()
        .filter(|(_, (of, _))| *of == Some(Owner::Identity(RecordNumber(1))));
    let candidates = [
        (
            catalog.matches_owned_by(Owner::Identity(RecordNumber(1))),
            owned.map(|(number, _)| *number).collect(),
        ),
        (
            // Some are not there.
            catalog.matches_from_numbers((0..most).filter(even).map(RecordNumber)),
            model
                .keys()
                .copied()
                .filter(even)
                .collect::<BTreeSet<u64>>(),
        ),
    ];
    for (candidates, expected) in candidates {
        assert!(candidates.is_exact());
        let numbers = |matches| catalog.numbers(matches).map(|number| number.0).collect();
        assert_eq!(numbers(&candidates), expected, "{query:?}");
        let found = catalog.search_within(&candidates, &listing.predicate);
        let found_numbers: BTreeSet<u64> = numbers(&found);
        let matching: BTreeSet<u64> = expected
            .iter()
            .filter(|number| {
                let record = Record(**number, &model[number].1);
                listing.predicate.matches(&record)
            })
            .copied()
            .collect();
        if found.is_exact() {
            assert_eq!(found_numbers, matching, "{query:?}");
        }
        assert!(found_numbers.is_superset(&matching), "{query:?}");
        assert!(found_numbers.is_subset(&expected), "{query:?}");
    }
}

fn any_steps<E: Debug + Clone + 'static, S: Strategy<Value = E> + 'static>(
    most: usize,
    entity: fn(u64) -> S,
    owner: impl Strategy<Value = Option<Owner>> + Clone + 'static,
) -> impl Strategy<Value = Vec<Step<E>>> {
    prop::collection::vec(any_step(80, entity, owner), 0..most)
}

fn assert_all<E: Listed>(start: Vec<Step<E>>, steps: Vec<Step<E>>, queries: &[Query]) {
    let (catalog, model) = run(start, steps, |_, _| {});
    for query in queries {
        assert_answered(&catalog, &model, query);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn identities_are_listed_as_their_records_are(
        start in any_steps(120, any_identity, Just(None)),
        steps in any_steps(60, any_identity, Just(None)),
        queries in prop::collection::vec(any_query::<Identity>(), 16),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn identities_of_teams_are_listed_as_their_records_are(
        start in any_steps(40, any_identity_of_a_team, Just(None)),
        steps in any_steps(20, any_identity_of_a_team, Just(None)),
        queries in prop::collection::vec(any_query::<Identity>(), 16),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn enrollments_are_listed_as_their_records_are(
        start in any_steps(80, any_enrollment, any_owner()),
        steps in any_steps(40, any_enrollment, any_owner()),
        queries in prop::collection::vec(any_query::<Enrollment>(), 8),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn authenticators_are_listed_as_their_records_are(
        start in any_steps(80, any_authenticator, any_owner()),
        steps in any_steps(40, any_authenticator, any_owner()),
        queries in prop::collection::vec(any_query::<Authenticator>(), 8),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn terminators_are_listed_as_their_records_are(
        start in any_steps(40, any_terminator, Just(None)),
        steps in any_steps(40, any_terminator, Just(None)),
        queries in prop::collection::vec(any_query::<Terminator>(), 8),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn service_sessions_are_listed_as_their_records_are(
        start in any_steps(40, any_service_session, any_owner()),
        steps in any_steps(40, any_service_session, any_owner()),
        queries in prop::collection::vec(any_query::<Session>(), 8),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn edge_router_policies_are_listed_as_their_records_are(
        start in any_steps(40, any_edge_router_policy, Just(None)),
        steps in any_steps(40, any_edge_router_policy, Just(None)),
        queries in prop::collection::vec(any_query::<EdgeRouterPolicy>(), 8),
    ) {
        assert_all(start, steps, &queries);
    }

    #[test]
    fn policies_are_listed_as_their_records_are(
        start in any_steps(40, any_policy, Just(None)),
        steps in any_steps(40, any_policy, Just(None)),
        queries in prop::collection::vec(any_query::<AuthPolicy>(), 8),
    ) {
        assert_all(start, steps, &queries);
    }
}

/// Slots beyond what one container of a bitmap holds, matches at the far end of an order, and
/// pages far behind the first.
#[test]
fn many_identities_are_listed_as_their_records_are() {
    let number_of = |step: u64| step * 7_919 % 70_000;
    let steps = (0..70_000).map(|step| {
        let number = number_of(step);
        let name = format!("{:05}-{}", number * 31 % 70_000, number % 977);
        let mut identity = identity(&format!("{step:06}"), &name, 0);
        identity.created_at = at(i64::try_from(number / 3).unwrap());
        identity.spec.is_admin = number % 7 == 0;
        identity.spec.external_id = (number % 5 == 0).then(|| format!("ext-{}", number % 1_000));
        Step::Put(number, None, identity)
    });
    let removals = (0..70_000).step_by(9).map(Step::Remove);
    let (catalog, model) = run(steps.collect(), removals.collect(), |_, _| {});
    for (filter, sort) in [
        (r#"name >= "69000""#, "name"),
        (r#"name >= "69000""#, "name desc"),
        (r#"name < "69990" and name contains "9""#, "createdAt desc"),
        (r#"not (name contains "-9" or isAdmin)"#, ""),
        (r#"name icontains "-97""#, "externalId desc, isAdmin"),
        ("externalId = null", "isAdmin desc, name desc"),
        (
            r#"externalId = "ext-5" or tags.site = "x""#,
            "updatedAt, createdAt desc",
        ),
        (
            "createdAt between datetime(1970-01-01T00:00:02Z) and datetime(1970-01-01T00:00:20Z)",
            "id desc",
        ),
    ] {
        for (offset, limit) in [(0, 50), (20_000, 50), (61_000, -1)] {
            let query = (filter.to_owned(), sort.to_owned(), offset, limit);
            assert_answered(&catalog, &model, &query);
        }
    }
}
