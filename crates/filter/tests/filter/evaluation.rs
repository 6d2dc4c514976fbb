//! Which rows match.

use crate::support::*;
use portcullis_filter::{Schema, Value};

fn matches(schema: &'static Schema, text: &str, row: &Entity) -> bool {
    parse(schema, text).matches(row)
}

/// Checks queries against one row.
fn check(schema: &'static Schema, row: &Entity, expectations: &[(&str, bool)]) {
    for (text, expected) in expectations {
        assert_eq!(matches(schema, text, row), *expected, "{text}");
    }
}

#[test]
fn strings_compare_by_bytes() {
    let row = Entity::new("i").with("name", "Straße-a\"b".to_owned());
    check(
        &IDENTITIES,
        &row,
        &[
            (r#"name = "Straße-a\"b""#, true),
            (r#"name = "straße-a\"b""#, false),
            (r#"name < "a""#, true),
            (r#"name > "Strb""#, false),
            (r#"name <= "Straße-a\"b""#, true),
            (r#"name >= "Straße-a\"b""#, true),
            (r#"name != "Straße-a\"b""#, false),
            (r#"name contains "ße""#, true),
            (r#"name contains "SSE""#, false),
            (r#"name contains """#, true),
            (r#"name icontains "sTRA""#, true),
            (r#"name icontains "STRASSE""#, false),
            (r#"name not icontains "strasse""#, true),
            (r#"name in ["a", "Straße-a\"b"]"#, true),
            (r#"name not in ["a", "Straße-a\"b"]"#, false),
        ],
    );
}

#[test]
fn numbers_against_strings_are_texts() {
    let row = Entity::new("i").with("name", "5".to_owned());
    check(
        &IDENTITIES,
        &row,
        &[
            ("name = 5", true),
            ("name = 5.0", true),
            ("name < 10", false),
            ("name in [4, 5]", true),
            ("name contains 5", true),
        ],
    );
}

#[test]
fn integers_compare_by_value_and_contain_as_text() {
    let row = Entity::new("r").with("cost", 15_i64).with("load", 0.5);
    check(
        &EDGE_ROUTERS,
        &row,
        &[
            ("cost = 15", true),
            ("cost = 1.5e1", true),
            ("cost != 15.5", true),
            ("cost > 9", true),
            ("cost < 15.5", true),
            ("cost between 10 and 15", false),
            ("cost between 15 and 16", true),
            ("cost between 14.5 and 15.5", true),
            ("cost not between 15 and 16", false),
            ("cost in [1, 15]", true),
            ("cost in [14.5, 15]", true),
            ("cost not in [1, 15]", false),
            (r#"cost in ["15"]"#, true),
            (r#"cost in ["015"]"#, false),
            ("cost contains 5", true),
            ("cost contains 51", false),
            ("cost not contains 5", false),
            ("cost = null", false),
            ("load = 0.5", true),
            ("load < 1", true),
            ("load contains \".5\"", true),
        ],
    );
    let largest = Entity::new("r").with("cost", i64::MAX);
    check(
        &EDGE_ROUTERS,
        &largest,
        &[
            ("cost = 9223372036854775807", true),
            ("cost = 9223372036854775806", false),
        ],
    );
}

#[test]
fn instants_compare_by_value() {
    let row = Entity::new("i").with(
        "createdAt",
        "2031-01-02T03:04:05.5Z".parse::<jiff::Timestamp>().unwrap(),
    );
    check(
        &IDENTITIES,
        &row,
        &[
            ("createdAt = datetime(2031-01-02T05:04:05.500+02:00)", true),
            ("createdAt > datetime(2031-01-02T03:04:05Z)", true),
            ("createdAt < datetime(9999-12-31T23:59:59Z)", true),
            (
                "createdAt between datetime(2031-01-02T03:04:05.5Z) and datetime(2032-01-01T00:00:00Z)",
                true,
            ),
            (
                "createdAt between datetime(2031-01-01T00:00:00Z) and datetime(2031-01-02T03:04:05.5Z)",
                false,
            ),
            ("createdAt in [datetime(2031-01-02T03:04:05.5Z)]", true),
            ("createdAt != null", true),
        ],
    );
}

#[test]
fn missing_values_fail_positive_tests() {
    let row = Entity::new("i");
    check(
        &IDENTITIES,
        &row,
        &[
            (r#"externalId = "x""#, false),
            (r#"externalId < "x""#, false),
            (r#"externalId <= "x""#, false),
            (r#"externalId > "x""#, false),
            (r#"externalId >= "x""#, false),
            (r#"externalId contains """#, false),
            (r#"externalId icontains """#, false),
            (r#"externalId in ["x"]"#, false),
            ("tags.n between 0 and 9", false),
            (r#"externalId != "x""#, true),
            (r#"externalId not contains "x""#, true),
            (r#"externalId not icontains "x""#, true),
            (r#"externalId not in ["x"]"#, true),
            ("tags.n not between 0 and 9", true),
            ("externalId = null", true),
            ("externalId != null", false),
            ("isAdmin", false),
            ("isAdmin = true", false),
            ("isAdmin != false", false),
            ("isAdmin = false", true),
            ("isAdmin != true", true),
            ("tags.b", false),
            ("tags.b = false", true),
        ],
    );
    let row = Entity::new("r").with("load", f64::NAN);
    check(
        &EDGE_ROUTERS,
        &row,
        &[
            ("load = null", true),
            ("load != 1", true),
            ("load < 1", false),
            ("load > 1", false),
        ],
    );
}

#[test]
fn tags_take_the_type_of_the_literal() {
    let row = Entity::new("i")
        .with("tags.text", "berlin".to_owned())
        .with("tags.yes", true)
        .with("tags.five", 5.0)
        .with("tags.six", 6_i64)
        .with("tags.geo.lat-deg", "52".to_owned());
    check(
        &IDENTITIES,
        &row,
        &[
            (r#"tags.text = "berlin""#, true),
            (r#"tags.text icontains "BER""#, true),
            (r#"tags.text in ["berlin", "oslo"]"#, true),
            ("tags.text = 5", false),
            ("tags.text != 5", true),
            ("tags.text = true", false),
            ("tags.text", false),
            ("tags.text != null", true),
            ("tags.yes", true),
            ("tags.yes = true", true),
            ("tags.yes = false", false),
            (r#"tags.yes = "true""#, true),
            ("tags.yes = 1", false),
            ("tags.five = 5", true),
            ("tags.five > 4", true),
            ("tags.five > 4.9", true),
            ("tags.five = 5.0", true),
            ("tags.five in [5]", true),
            ("tags.five in [5.0, 7.5]", true),
            (r#"tags.five = "5""#, true),
            (r#"tags.five contains "5""#, true),
            ("tags.five contains 5", true),
            ("tags.five between 5 and 6", true),
            ("tags.six between 5.5 and 6.5", true),
            ("tags.six between 5 and 6", false),
            ("tags.six in [5, 6.0]", true),
            (r#"tags.geo.lat-deg = "52""#, true),
            (
                "tags.text between datetime(2031-01-01T00:00:00Z) and datetime(2032-01-01T00:00:00Z)",
                false,
            ),
        ],
    );
}

#[test]
fn set_functions_look_at_every_element() {
    let none = Entity::new("n");
    let both = Entity::new("b").with_set("roleAttributes", &["ops", "sales-eu"]);
    for (text, on_none, on_both) in [
        (r#"anyOf(roleAttributes) = "ops""#, false, true),
        (r#"anyOf(roleAttributes) = "x""#, false, false),
        // Also true when all elements are smaller than the text.
        (r#"anyOf(roleAttributes) != "x""#, false, true),
        (r#"anyOf(roleAttributes) != "ops""#, false, true),
        (r#"allOf(roleAttributes) != "x""#, true, true),
        (r#"allOf(roleAttributes) != "ops""#, true, false),
        (r#"allOf(roleAttributes) contains "s""#, true, true),
        (r#"allOf(roleAttributes) contains "-""#, true, false),
        (r#"anyOf(roleAttributes) contains "-""#, false, true),
        // The negation is inside for `contains`, outside for `in`.
        (r#"anyOf(roleAttributes) not contains "-""#, false, true),
        (r#"allOf(roleAttributes) not contains "-""#, true, false),
        (r#"anyOf(roleAttributes) not in ["ops", "x"]"#, true, false),
        (r#"anyOf(roleAttributes) not in ["x"]"#, true, true),
        (r#"allOf(roleAttributes) not in ["ops"]"#, false, true),
        (r#"not anyOf(roleAttributes) = "ops""#, true, false),
        (r#"anyOf(roleAttributes) icontains "EU""#, false, true),
        ("anyOf(roleAttributes) = null", false, false),
        ("anyOf(roleAttributes) != null", false, true),
        ("count(roleAttributes) = 0", true, false),
        ("count(roleAttributes) > 1", false, true),
        ("count(roleAttributes) in [1, 2]", false, true),
        ("count(roleAttributes) between 0 and 2", true, false),
        ("count(roleAttributes) < 1.5", true, false),
        (r#"count(roleAttributes) in ["2"]"#, false, true),
        ("count(roleAttributes) contains 2", false, true),
        ("isEmpty(roleAttributes)", true, false),
        ("not isEmpty(roleAttributes)", false, true),
    ] {
        assert_eq!(
            matches(&IDENTITIES, text, &none),
            on_none,
            "{text} on no elements"
        );
        assert_eq!(
            matches(&IDENTITIES, text, &both),
            on_both,
            "{text} on two elements"
        );
    }
}

#[test]
fn sub_queries_look_at_the_referenced_rows() {
    let config = |id: &str, name: &str| Entity::new(id).with("name", name.to_owned());
    let service = Entity::new("s")
        .with_set("roleAttributes", &["web"])
        .with_references(
            "configs",
            vec![
                config("c1", "http-a"),
                config("c2", "http-b"),
                config("c3", "tcp"),
            ],
        );
    check(
        &SERVICES,
        &service,
        &[
            (r#"anyOf(configs) = "c2""#, true),
            (r#"isEmpty(from configs where name contains "http")"#, false),
            (r#"isEmpty(from configs where name = "udp")"#, true),
            (
                r#"count(from configs where name contains "http") = 2"#,
                true,
            ),
            ("count(from configs where true) = 3", true),
            ("count(configs) = 3", true),
            ("count(from configs where skip 1) = 2", true),
            (
                "count(from configs where sort by name skip 1 limit 1) = 1",
                true,
            ),
            ("count(from configs where limit 2) = 2", true),
            ("count(from configs where limit none) = 3", true),
            ("isEmpty(from configs where true skip 3)", true),
            ("isEmpty(from configs where true skip 2)", false),
        ],
    );
    let policy = Entity::new("p").with_references("services", vec![service]);
    check(
        &SERVICE_POLICIES,
        &policy,
        &[
            (
                r#"isEmpty(from services where anyOf(roleAttributes) = "web")"#,
                false,
            ),
            (
                r#"isEmpty(from services where isEmpty(from configs where name = "tcp"))"#,
                true,
            ),
            (
                r#"count(from services where count(from configs where id = "c1") = 1) = 1"#,
                true,
            ),
            ("isEmpty(identities)", true),
            ("isEmpty(from identities where true)", true),
        ],
    );
}

#[test]
fn and_or_and_not_reach_to_the_right() {
    let row = Entity::new("i");
    check(
        &IDENTITIES,
        &row,
        &[
            // With the usual precedence this would be true.
            ("false and false or true", false),
            ("(false and false) or true", true),
            ("true or false and false", true),
            ("not false and false", true),
            ("(not false) and false", false),
            ("not true or true", false),
            ("true and not true and false", true),
        ],
    );
}

#[test]
fn a_kind_without_maps_and_sets_needs_values_only() {
    struct Attribute(&'static str);
    impl portcullis_filter::Row for Attribute {
        type Symbol = portcullis_filter::SymbolId;

        fn value(&self, _: portcullis_filter::SymbolId) -> Value<'_> {
            self.0.into()
        }
    }
    let query = parse(&ROLE_ATTRIBUTES, r#"id contains "we""#);
    assert!(query.matches(&Attribute("web")));
    assert!(!query.matches(&Attribute("ops")));
    let query = parse(
        &SERVICES,
        "isEmpty(from configs where true) and isEmpty(configs) and tags.x = null",
    );
    assert!(query.matches(&Attribute("no sets, no references, no tags")));
}
