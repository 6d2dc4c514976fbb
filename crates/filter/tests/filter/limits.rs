//! Queries that would be too much work are refused before any row is looked at.

use crate::support::*;
use portcullis_filter::{
    MAX_BYTES, MAX_DEPTH, MAX_SUBQUERIES, MAX_SUBQUERY_DEPTH, MAX_TERMS, Problem, Query, Schema,
    Symbol, parse_sort,
};

static NODES: Schema = Schema::new(&[Symbol::string("id"), Symbol::references("nodes", &NODES)]);

fn problem(schema: &'static Schema, text: &str) -> Option<Problem> {
    Query::parse(schema, text).err().map(|error| error.problem)
}

#[test]
fn texts_over_64_kib_are_refused() {
    let of_length = |length: usize| format!("name = \"{}\"", "x".repeat(length - 9));
    assert_eq!(problem(&IDENTITIES, &of_length(MAX_BYTES)), None);
    let bytes = MAX_BYTES + 1;
    assert_eq!(
        problem(&IDENTITIES, &of_length(bytes)),
        Some(Problem::TooLong { bytes })
    );

    let sort = format!("name{}", " ".repeat(MAX_BYTES));
    let error = parse_sort(&IDENTITIES, &sort).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLong { .. }), "{error}");
}

#[test]
fn a_million_terms_are_refused() {
    let text = vec!["id=\"x\""; 1_000_000].join(" or ");
    assert!(matches!(
        problem(&IDENTITIES, &text),
        Some(Problem::TooLong { .. })
    ));
}

#[test]
fn terms_are_bounded() {
    assert_eq!(
        problem(&IDENTITIES, &vec!["true"; MAX_TERMS].join(" or ")),
        None
    );
    let text = vec!["true"; MAX_TERMS + 1].join(" or ");
    assert_eq!(problem(&IDENTITIES, &text), Some(Problem::TooManyTerms));
}

#[test]
fn long_lists_are_one_term() {
    let list: Vec<_> = (0..8_000).map(|number| number.to_string()).collect();
    let query = parse(&EDGE_ROUTERS, &format!("cost in [{}]", list.join(",")));
    assert!(query.matches(&Entity::new("r").with("cost", 7_999_i64)));
    assert!(!query.matches(&Entity::new("r").with("cost", 8_000_i64)));
}

#[test]
fn nesting_is_bounded_in_every_form() {
    let brackets = |n: usize| format!("{}true{}", "(".repeat(n), ")".repeat(n));
    let negations = |n: usize| format!("{}true", "not ".repeat(n));
    let alternations = |n: usize| {
        let words = ["true and ", "true or "];
        (0..=n)
            .map(|index| words[index % 2])
            .chain(["true"])
            .collect::<String>()
    };
    for (name, text) in [
        ("brackets", &brackets as &dyn Fn(usize) -> String),
        ("negations", &negations),
        ("alternations", &alternations),
    ] {
        assert_eq!(problem(&IDENTITIES, &text(MAX_DEPTH)), None, "{name}");
        let too_deep = text(MAX_DEPTH + 1);
        assert_eq!(
            problem(&IDENTITIES, &too_deep),
            Some(Problem::TooDeep),
            "{name}"
        );
    }
    // The text alone would allow for sixty thousand levels.
    for open in ["(", "not ", "isEmpty(from configs where ", "(not "] {
        let text = open.repeat(MAX_BYTES / open.len());
        let problem = problem(&SERVICES, &text);
        assert!(
            matches!(problem, Some(Problem::TooDeep | Problem::TooManySubqueries)),
            "{open}: {problem:?}"
        );
    }
}

#[test]
fn the_deepest_queries_print_as_texts_that_are_read_again() {
    for piece in [
        "not true and ",
        "(true or ",
        "true and true or ",
        "not (true) or ",
    ] {
        let levels = if piece.starts_with("true") {
            MAX_DEPTH / 2
        } else {
            MAX_DEPTH
        };
        let brackets = ")".repeat(if piece.starts_with('(') { levels } else { 0 });
        let text = format!("{}true{brackets}", piece.repeat(levels));
        let query = parse(&IDENTITIES, &text);
        assert_eq!(parse(&IDENTITIES, &query.to_string()), query, "{piece}");
    }
}

#[test]
fn the_deepest_query_can_be_printed_and_evaluated() {
    let text = format!("{}isAdmin", "not ".repeat(MAX_DEPTH));
    let query = parse(&IDENTITIES, &text);
    assert_eq!(query.to_string(), format!("{text} = true"));
    assert!(
        !query.matches(&Entity::new("i")),
        "an even number of negations"
    );
}

#[test]
fn sub_queries_are_bounded_in_number_and_depth() {
    let many = |n: usize| vec!["isEmpty(from nodes where true)"; n].join(" or ");
    assert_eq!(problem(&NODES, &many(MAX_SUBQUERIES)), None);
    assert_eq!(
        problem(&NODES, &many(MAX_SUBQUERIES + 1)),
        Some(Problem::TooManySubqueries)
    );

    let deep = |n: usize| {
        format!(
            "{}true{}",
            "isEmpty(from nodes where ".repeat(n),
            ")".repeat(n)
        )
    };
    assert_eq!(problem(&NODES, &deep(MAX_SUBQUERY_DEPTH)), None);
    assert_eq!(
        problem(&NODES, &deep(MAX_SUBQUERY_DEPTH + 1)),
        Some(Problem::TooManySubqueries)
    );
}

#[test]
fn kinds_that_refer_to_themselves_can_be_shown() {
    assert!(format!("{NODES:?}").len() < 1000);
}
