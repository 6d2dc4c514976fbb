//! Queries that are refused, with the offset that the message points at and the message.

use crate::support::*;
use portcullis_filter::{Location, Problem, Query, Schema, Span, parse_sort};

static REFUSED: &[(&Schema, &str, usize, &str)] = &[
    (
        &EDGE_ROUTERS,
        "cost = .5",
        7,
        "unexpected character '.' (numbers must begin and end with a digit)",
    ),
    (
        &IDENTITIES,
        r#"name = "x" @"#,
        11,
        "unexpected character '@'",
    ),
    (
        &IDENTITIES,
        r#"name == "x""#,
        6,
        "expected a string, a number, a datetime, a boolean or `null`, but found `=` (use a single `=`)",
    ),
    (
        &IDENTITIES,
        "name = 'x'",
        7,
        "expected a string, a number, a datetime, a boolean or `null`, but found a quoted symbol (write strings in double quotes)",
    ),
    (
        &IDENTITIES,
        "name = x",
        7,
        "expected a string, a number, a datetime, a boolean or `null`, but found `x`",
    ),
    (
        &IDENTITIES,
        r#"name <> "x""#,
        6,
        "expected a string, a number or a datetime, but found `>` (use `!=`)",
    ),
    (
        &IDENTITIES,
        r#"name like "x""#,
        5,
        "expected an operator, `and`, `or` or the end, but found `like`",
    ),
    (
        &IDENTITIES,
        "name is null",
        5,
        "expected an operator, `and`, `or` or the end, but found `is` (write `= null` or `!= null`)",
    ),
    (
        &IDENTITIES,
        "null = name",
        0,
        "expected a condition, but found `null`",
    ),
    (
        &IDENTITIES,
        r#""x" = name"#,
        0,
        "expected a condition, but found a string",
    ),
    (
        &IDENTITIES,
        "name in []",
        9,
        "expected a string, a number or a datetime, but found `]`",
    ),
    (
        &IDENTITIES,
        r#"name in ["a", 1]"#,
        14,
        "expected a string, but found a number",
    ),
    (
        &IDENTITIES,
        r#"name in["a"]"#,
        7,
        "a space is required before `[`",
    ),
    (
        &IDENTITIES,
        r#"name not  in ["a"]"#,
        5,
        "expected an operator, `and`, `or` or the end, but found `not` (write `not in` with exactly one space)",
    ),
    (
        &IDENTITIES,
        r#"name contains"x""#,
        13,
        "a space is required before a string",
    ),
    (
        &IDENTITIES,
        "name icontains 5",
        15,
        "expected a string, but found a number",
    ),
    (
        &IDENTITIES,
        r#"name between "a" and "b""#,
        13,
        "expected a number or a datetime, but found a string",
    ),
    (
        &IDENTITIES,
        r#"(name = "x""#,
        11,
        "expected `)`, but found end",
    ),
    (
        &IDENTITIES,
        r#"name = "x")"#,
        10,
        "expected `and`, `or`, `sort by`, `skip`, `limit` or the end, but found `)`",
    ),
    (
        &IDENTITIES,
        r#"name = "x" and"#,
        14,
        "expected a condition, but found end",
    ),
    (
        &IDENTITIES,
        r#"name="a"and name="b""#,
        8,
        "a space is required before `and`",
    ),
    (
        &IDENTITIES,
        r#"name = "x" && isAdmin"#,
        11,
        "unexpected character '&' (write `and`)",
    ),
    (
        &IDENTITIES,
        "not(isAdmin)",
        3,
        "a space is required before `(`",
    ),
    (
        &IDENTITIES,
        r#"anyOf (roleAttributes) = "x""#,
        6,
        "no space is allowed between `anyOf` and its opening parenthesis",
    ),
    (
        &IDENTITIES,
        "isEmpty(roleAttributes) = true",
        24,
        "expected `and`, `or`, `sort by`, `skip`, `limit` or the end, but found `=`",
    ),
    (
        &IDENTITIES,
        r#"name = "x" limit 5 skip 2"#,
        19,
        "expected the end, but found `skip`",
    ),
    (
        &IDENTITIES,
        "limit 5 sort by name",
        8,
        "expected the end, but found `sort`",
    ),
    (
        &IDENTITIES,
        "sort by name ascending",
        13,
        "expected `asc`, `desc`, a comma, `skip`, `limit` or the end, but found `ascending`",
    ),
    (
        &IDENTITIES,
        "createdAt > 2031-01-02T03:04:05Z",
        16,
        "expected `and`, `or`, `sort by`, `skip`, `limit` or the end, but found a number (write numbers without leading zeros, and timestamps as `datetime(...)`)",
    ),
    (
        &IDENTITIES,
        "createdAt > DATETIME(2031-01-02T03:04:05Z)",
        12,
        "expected a string, a number or a datetime, but found `DATETIME` (write `datetime(...)` in lower case, without a space before the parenthesis)",
    ),
    (
        &IDENTITIES,
        "createdAt > datetime(2031-01-02)",
        12,
        "`datetime(...)` expects an RFC 3339 timestamp with time zone, such as 2031-01-02T03:04:05Z",
    ),
    (
        &IDENTITIES,
        r#"name1 = "x""#,
        4,
        "field names cannot contain digits",
    ),
    (
        &IDENTITIES,
        r#"tags.zone2 = "x""#,
        9,
        "field names cannot contain digits",
    ),
    (
        &EDGE_ROUTERS,
        "cost = 007",
        8,
        "expected `and`, `or`, `sort by`, `skip`, `limit` or the end, but found a number (write numbers without leading zeros, and timestamps as `datetime(...)`)",
    ),
    (
        &IDENTITIES,
        r#"name = "caf\u00e9""#,
        11,
        r#"unknown escape sequence; use one of \" \\ \f \n \r \t"#,
    ),
    (
        &IDENTITIES,
        "isAdmin > true",
        10,
        "expected a string, a number or a datetime, but found `true`",
    ),
    (
        &IDENTITIES,
        "name < null",
        7,
        "expected a string, a number or a datetime, but found `null`",
    ),
    (
        &IDENTITIES,
        r#"external-id = "x""#,
        8,
        "unexpected character '-' (names consist of letters and `_`; after a dot and a letter, `-` is allowed too)",
    ),
    (
        &IDENTITIES,
        r#"tags.2nd = "x""#,
        4,
        "unexpected character '.' (names consist of letters and `_`; after a dot and a letter, `-` is allowed too)",
    ),
    (&IDENTITIES, r#"nosuch = "x""#, 0, "unknown field `nosuch`"),
    (
        &IDENTITIES,
        r#"roleAttributes = "x""#,
        0,
        "`roleAttributes` is a set; use it inside `anyOf`, `allOf`, `count` or `isEmpty`",
    ),
    (
        &IDENTITIES,
        r#"anyOf(name) = "x""#,
        6,
        "`name` is not a set, so `anyOf` cannot be applied to it",
    ),
    (
        &IDENTITIES,
        r#"isAdmin = "true""#,
        10,
        "`isAdmin` is a boolean; `=` cannot compare it with a string",
    ),
    (
        &EDGE_ROUTERS,
        r#"cost = "5""#,
        7,
        "`cost` is an integer; `=` cannot compare it with a string",
    ),
    (
        &IDENTITIES,
        r#"createdAt > "2031-01-02T03:04:05Z""#,
        12,
        "`createdAt` is a datetime; `>` cannot compare it with a string",
    ),
    (
        &IDENTITIES,
        "name = true",
        7,
        "`name` is a string; `=` cannot compare it with a boolean",
    ),
    (
        &EDGE_ROUTERS,
        r#"cost icontains "5""#,
        5,
        "`cost` is an integer; `icontains` cannot compare it with a string",
    ),
    (
        &IDENTITIES,
        r#"isAdmin contains "t""#,
        8,
        "`isAdmin` is a boolean; `contains` cannot compare it with a string",
    ),
    (
        &IDENTITIES,
        "name between 1 and 2",
        5,
        "`name` is a string; `between` cannot compare it with numbers",
    ),
    (
        &IDENTITIES,
        r#"type.name = "Default""#,
        0,
        "unknown field `type.name`",
    ),
    (
        &IDENTITIES,
        r#"'name' = "x""#,
        0,
        "unknown field `'name'`; did you mean `name`?",
    ),
    (&IDENTITIES, "limit 2.5", 6, "`limit` expects an integer"),
    (
        &IDENTITIES,
        "isEmpty(from name where true)",
        13,
        "`name` does not refer to entities, so it cannot be the source of a sub-query",
    ),
    (&IDENTITIES, "sort by nosuch", 8, "unknown field `nosuch`"),
    (
        &IDENTITIES,
        "name",
        0,
        "`name` is a string; compare it with a value; only booleans can be used alone",
    ),
    (
        &IDENTITIES,
        r#"createdAt in ["2031-01-02T03:04:05Z"]"#,
        13,
        "`createdAt` is a datetime; `in` cannot compare it with strings",
    ),
    (
        &IDENTITIES,
        "sort by roleAttributes",
        8,
        "the list cannot be sorted by `roleAttributes`",
    ),
    (
        &SERVICES,
        r#"anyOf(configs.name) = "x""#,
        6,
        "unknown field `configs.name`",
    ),
    (
        &IDENTITIES,
        r#"NAME = "x""#,
        0,
        "unknown field `NAME`; did you mean `name`?",
    ),
    (
        &IDENTITIES,
        r#"type.name = "x" sort by name"#,
        0,
        "unknown field `type.name`",
    ),
];

/// More of them, of which only the place matters here.
static ALSO_REFUSED: &[(&Schema, &str, usize)] = &[
    // Blanks that are missing or that must not be there.
    (&IDENTITIES, "(true)and true", 6),
    (&IDENTITIES, "true and(true)", 8),
    (&IDENTITIES, "not\"x\"", 3),
    (&IDENTITIES, "name = \"x\"sort by name", 10),
    (&IDENTITIES, "true sort by name skip 1limit 1", 24),
    (&IDENTITIES, "isEmpty (roleAttributes)", 8),
    (&SERVICES, "count (configs) = 1", 6),
    (&SERVICES, "isEmpty(from configs where(true))", 26),
    (
        &IDENTITIES,
        "createdAt = datetime (2031-01-02T03:04:05Z)",
        12,
    ),
    (&IDENTITIES, "limit-1", 5),
    (&IDENTITIES, "anyOf(roleAttributes)in [\"x\"]", 21),
    (&IDENTITIES, "count(roleAttributes)between 1 and 2", 21),
    (&IDENTITIES, "anyOf(roleAttributes)contains\"x\"", 29),
    // Parts that are missing or in the wrong place.
    (&IDENTITIES, "", 0),
    (&IDENTITIES, "()", 1),
    (&IDENTITIES, "and true", 0),
    (&IDENTITIES, "true true", 5),
    (&IDENTITIES, "true,", 4),
    (&IDENTITIES, "name in [\"a\",]", 13),
    (&IDENTITIES, "name in \"a\"", 8),
    (&IDENTITIES, "name in [true]", 9),
    (&IDENTITIES, "name in [null]", 9),
    (&IDENTITIES, "anyOf(roleAttributes)", 21),
    (&IDENTITIES, "anyOf(\"x\") = \"x\"", 6),
    (&IDENTITIES, "anyOf(from x where true) = \"x\"", 6),
    (&IDENTITIES, "true sort name", 10),
    (&IDENTITIES, "true sort by", 12),
    (&IDENTITIES, "true sort by name,", 18),
    (&IDENTITIES, "true skip none", 10),
    (&IDENTITIES, "true skip \"1\"", 10),
    (&IDENTITIES, "true limit 1 sort by name", 13),
    (&IDENTITIES, "name contains true", 14),
    (
        &IDENTITIES,
        "name contains datetime(2031-01-02T03:04:05Z)",
        14,
    ),
    (&EDGE_ROUTERS, "cost between 1 or 2", 15),
    (
        &EDGE_ROUTERS,
        "cost between 1 and datetime(2031-01-02T03:04:05Z)",
        19,
    ),
    (&EDGE_ROUTERS, "cost between true and false", 13),
    // Names and types.
    (&IDENTITIES, "true and nosuch", 9),
    (&IDENTITIES, "tags = \"x\"", 0),
    (&IDENTITIES, "tags", 0),
    (&IDENTITIES, "anyOf(tags.x) = \"x\"", 6),
    (&IDENTITIES, "isEmpty(name)", 8),
    (&IDENTITIES, "count(name) = 1", 6),
    (&IDENTITIES, "name.tags = \"x\"", 0),
    (&IDENTITIES, "roleAttributes", 0),
    (&IDENTITIES, "count(roleAttributes) = \"1\"", 24),
    (&IDENTITIES, "count(roleAttributes) = true", 24),
    (&IDENTITIES, "anyOf(roleAttributes) = true", 24),
    (&IDENTITIES, "isAdmin = 1", 10),
    (&IDENTITIES, "isAdmin in [1]", 11),
    (&IDENTITIES, "createdAt contains \"2031\"", 10),
    (&IDENTITIES, "createdAt between 1 and 2", 10),
    (&IDENTITIES, "name = datetime(2031-01-02T03:04:05Z)", 7),
    (&IDENTITIES, "skip 1e3", 5),
    (&IDENTITIES, "sort by tags.x", 8),
    (&IDENTITIES, "sort by tags", 8),
    (&SERVICES, "sort by configs", 8),
    (&SERVICES, "isEmpty(from roleAttributes where true)", 13),
    (&SERVICES, "isEmpty(from configs where isFabricOnly)", 27),
    (
        &SERVICES,
        "isEmpty(from configs where true sort by nosuch)",
        40,
    ),
    (&ROLE_ATTRIBUTES, "tags.x = 1", 0),
];

fn refuse(schema: &'static Schema, text: &str) -> portcullis_filter::QueryError {
    match Query::parse(schema, text) {
        Ok(query) => panic!("`{text}` was read as `{query}`"),
        Err(error) => error,
    }
}

#[test]
fn refused_queries_say_where_and_why() {
    for (schema, text, start, message) in REFUSED {
        let error = refuse(schema, text);
        assert_eq!(error.problem.to_string(), *message, "{text}");
        assert_eq!(error.span.start, *start, "{text}");
    }
    for (schema, text, start) in ALSO_REFUSED {
        let error = refuse(schema, text);
        assert_eq!(error.span.start, *start, "{text}: {error}");
    }
}

#[test]
fn places_are_lines_and_characters() {
    let text = "name = \"ünïcödé\"\n  and nmae = 1";
    let error = refuse(&IDENTITIES, text);
    assert_eq!(error.location, Location { line: 2, column: 7 });
    assert_eq!(error.point_at(text), "  and nmae = 1\n      ^^^^");
    // People count from 1, and read the place before the advice.
    assert!(
        error
            .to_string()
            .starts_with("line 2, column 7: unknown field `nmae`")
    );

    let text = "name = \"ünï\" x";
    let error = refuse(&IDENTITIES, text);
    assert_eq!(
        error.location,
        Location {
            line: 1,
            column: 14
        }
    );
    assert_eq!(error.point_at(text), "name = \"ünï\" x\n             ^");
}

#[test]
fn the_end_of_the_text_can_be_pointed_at() {
    for text in ["name = ", "", "(true", "true and\n"] {
        let error = refuse(&IDENTITIES, text);
        assert_eq!(error.span, Span::new(text.len(), text.len()), "{text:?}");
        assert!(error.point_at(text).ends_with('^'), "{text:?}");
    }
}

#[test]
fn the_nearest_known_symbol_is_named() {
    for (name, expected) in [
        ("nmae", Some("name")),
        ("Name", Some("name")),
        ("isadmin", Some("isAdmin")),
        ("roleAttribute", Some("roleAttributes")),
        ("tag.site", Some("tags.site")),
        ("Tags.site", Some("tags.site")),
        ("createAt", Some("createdAt")),
        ("'nmae'", Some("name")),
        ("'tags.site'", Some("tags.site")),
        ("permissions", None),
        ("envInfo.os", None),
    ] {
        match refuse(&IDENTITIES, &format!("{name} = \"x\"")).problem {
            Problem::UnknownSymbol { nearest, .. } => {
                assert_eq!(nearest.as_deref(), expected, "{name}");
            },
            other => panic!("{name}: {other}"),
        }
    }
}

#[test]
fn messages_never_repeat_literals_and_stay_short() {
    for text in [
        "name \"s3cret\"",
        "\"s3cret\" = name",
        "name = 's3cret'",
        "isAdmin = \"s3cret\"",
        "name = \"s3cret",
        "name = \"s3cret\\q\"",
        "createdAt = datetime(s3cret)",
    ] {
        let message = refuse(&IDENTITIES, text).to_string();
        assert!(!message.contains("s3cret"), "{message}");
    }
    let long = "x".repeat(60_000);
    for text in [
        format!("{long} = 1"),
        format!("name = {long}"),
        format!("sort by {long}"),
        format!("tag.{long} = 1"),
    ] {
        assert!(refuse(&IDENTITIES, &text).to_string().len() < 300);
    }
}

#[test]
fn sort_parameters_count_from_their_own_start() {
    for (text, start) in [
        ("nope", 0),
        ("name upwards", 5),
        ("name,", 5),
        ("roleAttributes", 0),
        (" ", 1),
        ("name, tags.k", 6),
    ] {
        match parse_sort(&IDENTITIES, text) {
            Ok(keys) => panic!("`{text}` was read as {keys:?}"),
            Err(error) => assert_eq!(error.span.start, start, "{text}: {error}"),
        }
    }
}
