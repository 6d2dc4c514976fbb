//! What holds for every text, query and row.

use crate::fuzz::check;
use crate::naive::{KIND, chain, read, row};
use crate::support::{Entity, parse};
use portcullis_filter::{Listing, MAX_BYTES, Order, Parameters, Query, Value, parse_sort};
use proptest::prelude::*;
use proptest::sample::select;
use std::cmp::Reverse;

fn name_of(row: &Entity) -> Option<String> {
    match row.get("name") {
        Value::Text(text) => Some(text.into_owned()),
        _ => None,
    }
}

fn cost_of(row: &Entity) -> Option<i64> {
    match row.get("cost") {
        Value::Integer(cost) => Some(cost),
        _ => None,
    }
}

/// Pieces of queries, which get further into the parser than characters do.
fn fragments() -> impl Strategy<Value = String> {
    const FRAGMENTS: &[&str] = &[
        "name",
        "cost",
        "flag",
        "seen",
        "roles",
        "friends",
        "tags.x",
        "x.y",
        "and",
        "or",
        "not",
        "in",
        "not in",
        "between",
        "contains",
        "not icontains",
        "=",
        "!=",
        "<",
        ">=",
        "true",
        "null",
        "anyOf(",
        "allOf(",
        "count(",
        "isEmpty(",
        "from",
        "where",
        "sort by",
        "asc",
        "skip",
        "limit",
        "none",
        "(",
        ")",
        "[",
        "]",
        ",",
        "\"a\"",
        "\"\\",
        "'q'",
        "1",
        "-2.5e3",
        "datetime(2031-01-02T03:04:05Z)",
        "datetime(",
        "é",
        "\n",
        " ",
        "  ",
    ];
    let piece = (select(FRAGMENTS), select(vec![" ", "", "\t"]));
    prop::collection::vec(piece, 0..24).prop_map(|pieces| {
        pieces
            .into_iter()
            .flat_map(|(word, blank)| [word, blank])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(23),
        ..ProptestConfig::with_cases(2000)
    })]

    #[test]
    fn arbitrary_texts_keep_every_promise(text in any::<String>()) {
        prop_assert_eq!(check(&text).err(), None, "{}", text);
    }

    #[test]
    fn arbitrary_words_keep_every_promise(text in fragments()) {
        prop_assert_eq!(check(&text).err(), None, "{}", text);
    }

    #[test]
    fn changed_texts_keep_every_promise(
        chain in chain(),
        at in any::<prop::sample::Index>(),
        change in any::<char>(),
    ) {
        let mut characters: Vec<char> = chain.text().chars().collect();
        let at = at.index(characters.len());
        characters[at] = change;
        let text: String = characters.into_iter().collect();
        prop_assert_eq!(check(&text).err(), None, "{}", text);
    }

    #[test]
    fn printed_queries_are_read_as_the_same_query(chain in chain()) {
        let query = parse(&KIND, &chain.text());
        prop_assert_eq!(&parse(&KIND, &query.to_string()), &query);
    }

    #[test]
    fn evaluation_agrees_with_the_naive_one(chain in chain(), rows in prop::collection::vec(row(), 1..4)) {
        let text = chain.text();
        let query = parse(&KIND, &text);
        // The text read naively has to mean the same, or the fuzzing that relies on it would be in vain.
        let again = read(&text).condition;
        for row in &rows {
            prop_assert_eq!(query.matches(row), chain.holds(row), "{} on {:?}", text, row);
            prop_assert_eq!(again.holds(row), chain.holds(row), "{} on {:?}", text, row);
        }
    }

    #[test]
    fn the_order_is_total(
        rows in prop::collection::vec(row(), 3),
        sort in select(vec!["name", "cost desc", "flag, seen desc", "seen, name desc", "id"]),
    ) {
        let order = Order::new(&KIND, parse_sort(&KIND, sort).unwrap());
        let [a, b, c] = [&rows[0], &rows[1], &rows[2]];
        prop_assert_eq!(order.compare(a, b), order.compare(b, a).reverse());
        if order.compare(a, b).is_le() && order.compare(b, c).is_le() {
            prop_assert!(order.compare(a, c).is_le());
        }
        prop_assert!(order.compare(a, a).is_eq());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(23),
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn pages_are_cuts_of_the_whole_list(
        rows in prop::collection::vec(row(), 0..40),
        chain in chain(),
        skip in 0..12_usize,
        limit in 1..12_usize,
    ) {
        let listing = |paging: &str| {
            let filter = format!("{} sort by name desc, cost {paging}", chain.text());
            let parameters = Parameters { filter: Some(&filter), ..Parameters::default() };
            Listing::from_parameters(&KIND, &parameters).unwrap().select(&rows)
        };
        let ids = |rows: &[&Entity]| rows.iter().map(|row| row.id()).collect::<Vec<_>>();
        let all = listing("limit none");
        // Missing values come first: `None` is less than `Some`.
        let key = |row: &Entity| (Reverse(name_of(row)), cost_of(row), row.id());
        prop_assert!(all.rows.is_sorted_by_key(|row| key(row)), "{:?}", ids(&all.rows));
        prop_assert_eq!(all.rows.len(), all.total);
        let page = listing(&format!("skip {skip} limit {limit}"));
        prop_assert_eq!(page.total, all.total);
        let start = skip.min(all.total);
        let end = (skip + limit).min(all.total);
        prop_assert_eq!(ids(&page.rows), ids(&all.rows[start..end]));
    }
}

#[test]
fn texts_of_the_largest_size_never_overflow_the_stack() {
    for piece in [
        "(",
        "not ",
        "true and ",
        "true or true and ",
        "tags.",
        "name = \"",
        "[",
        "isEmpty(",
        "1",
        "'",
    ] {
        let text = piece.repeat(MAX_BYTES / piece.len());
        assert!(Query::parse(&KIND, &text).is_err(), "{piece}");
    }
}
