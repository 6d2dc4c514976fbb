//! Queries that are accepted, each with the text that its typed form prints.

use crate::support::*;
use portcullis_filter::{Query, Schema};

/// Queries that print as they were written.
static CANONICAL: &[(&Schema, &str)] = &[
    (&IDENTITIES, "true"),
    (&IDENTITIES, "false"),
    (&EDGE_ROUTERS, r#"name = "edge-ams-1""#),
    (&IDENTITIES, r#"name != "guest""#),
    (&SERVICES, r#"name < "m""#),
    (&SERVICES, r#"name >= "a" and name < "b""#),
    (&SERVICES, r#"name contains "prod""#),
    (&SERVICES, r#"name icontains "PROD""#),
    (&SERVICES, r#"name not contains "test""#),
    (&SERVICES, r#"name not in ["a", "b"]"#),
    (&IDENTITIES, r#"id in ["aB3.x", "cD4-y"]"#),
    (&SERVICES, r#"name = "say \"hi\"""#),
    (&SERVICES, r#"name = "back\\slash""#),
    (&SERVICES, r#"name = "tab\there""#),
    (&SERVICES, r#"name = "naïve ☂""#),
    (&IDENTITIES, "isAdmin = true"),
    (&EDGE_ROUTERS, "cost = 0"),
    (&EDGE_ROUTERS, "cost > 10 and cost <= 100"),
    (&EDGE_ROUTERS, "cost between 10 and 20"),
    (&EDGE_ROUTERS, "cost not between 10 and 20"),
    (&EDGE_ROUTERS, "cost in [1, 2, 3]"),
    (&EDGE_ROUTERS, "cost > -1"),
    (&EDGE_ROUTERS, r#"cost in ["5", "7"]"#),
    (&IDENTITIES, "createdAt > datetime(2031-01-02T03:04:05Z)"),
    (
        &IDENTITIES,
        "createdAt between datetime(2031-01-01T00:00:00Z) and datetime(2031-02-01T00:00:00Z)",
    ),
    (&IDENTITIES, "createdAt in [datetime(2031-01-02T03:04:05Z)]"),
    (&IDENTITIES, "externalId = null"),
    (&IDENTITIES, "externalId != null"),
    (&IDENTITIES, r#"externalId != "x""#),
    (&IDENTITIES, r#"tags.site = "berlin""#),
    (&IDENTITIES, r#"tags.site != "berlin""#),
    (&IDENTITIES, "tags.site = null"),
    (&IDENTITIES, "tags.enabled = true"),
    (&IDENTITIES, "tags.level = 5"),
    (&IDENTITIES, "tags.level = 5.0"),
    (&IDENTITIES, "tags.level > 4.5"),
    (&IDENTITIES, r#"tags.site in ["berlin", "oslo"]"#),
    (&IDENTITIES, r#"tags.geo.lat-deg = "52""#),
    (&IDENTITIES, r#"tags.limit = "x""#),
    (&IDENTITIES, r#"anyOf(roleAttributes) = "sales""#),
    (&IDENTITIES, r#"anyOf(roleAttributes) not contains "x""#),
    (&IDENTITIES, r#"not anyOf(roleAttributes) = "sales""#),
    (&IDENTITIES, r#"anyOf(roleAttributes) != "sales""#),
    (&IDENTITIES, r#"anyOf(roleAttributes) contains "sal""#),
    (&IDENTITIES, r#"allOf(roleAttributes) contains "-""#),
    (&IDENTITIES, "count(roleAttributes) > 2"),
    (&IDENTITIES, "count(roleAttributes) = 0"),
    (&IDENTITIES, "count(roleAttributes) in [1, 3]"),
    (&IDENTITIES, "isEmpty(roleAttributes)"),
    (&IDENTITIES, "not isEmpty(roleAttributes)"),
    (&SERVICES, r#"anyOf(configs) = "g7aBcDeFg""#),
    (&SERVICES, "isEmpty(configs)"),
    (
        &SERVICES,
        r#"isEmpty(from configs where name contains "http")"#,
    ),
    (
        &SERVICE_POLICIES,
        r#"not isEmpty(from identities where name = "build-bot")"#,
    ),
    (
        &SERVICES,
        r#"count(from configs where name contains "http") > 1"#,
    ),
    (&SERVICE_POLICIES, r##"anyOf(serviceRoles) = "#web""##),
    (&SERVICE_POLICIES, r#"type = "Dial""#),
    (
        &SERVICE_POLICIES,
        r##"semantic = "AnyOf" and anyOf(identityRoles) = "#all""##,
    ),
    (&AUTHENTICATORS, r#"identity = "k3Qd.v9xT""#),
    (
        &TERMINATORS,
        r#"service.name = "wiki" and binding = "edge""#,
    ),
    (&TERMINATORS, r#"service = "aB3dE5fG7""#),
    (&AUTH_POLICIES, "primary.updb.allowed = true"),
    (&POSTURE_CHECKS, r#"typeId = "MFA""#),
    (&ROLE_ATTRIBUTES, r#"id contains "we""#),
    (&IDENTITIES, "true sort by createdAt desc skip 20 limit 10"),
    (&IDENTITIES, r#"name contains "a" sort by name"#),
    (&IDENTITIES, "true skip 4 limit 2"),
    (
        &SERVICE_POLICIES,
        r#"isEmpty(from services where anyOf(roleAttributes) = "web")"#,
    ),
    (&EDGE_ROUTERS, "load > 0.5 and load = 7"),
    (&IDENTITIES, "tags.n between 1.0 and 5.0"),
    (
        &IDENTITIES,
        "tags.seen between datetime(2031-01-01T00:00:00Z) and datetime(2031-02-01T00:00:00Z)",
    ),
    (&IDENTITIES, r#"tags.x icontains "A""#),
    (&IDENTITIES, "count(roleAttributes) = null"),
    (&IDENTITIES, "anyOf(roleAttributes) != null"),
    (&IDENTITIES, "not not isAdmin = true"),
    (&IDENTITIES, r#"name not in ["a"] and isAdmin = true"#),
    (&EDGE_ROUTERS, "cost not between 1 and 2 or cost = null"),
    (&IDENTITIES, "createdAt >= datetime(0000-01-01T00:00:00Z)"),
    (&IDENTITIES, r#"name = "a" and not name = "b""#),
    (&IDENTITIES, r#"name = "a" and (name = "b" and name = "c")"#),
    (
        &SERVICES,
        r#"isEmpty(from configs where name = "a" sort by name desc skip 1 limit 2)"#,
    ),
    (&SERVICES, r#"allOf(configs) != "a""#),
    (
        &SERVICE_POLICIES,
        "isEmpty(from services where isEmpty(from configs where tags.x = null))",
    ),
];

/// Queries that mean the same as another text.
static REWRITTEN: &[(&Schema, &str, &str)] = &[
    (
        &EDGE_ROUTERS,
        r#"name="edge-ams-1""#,
        r#"name = "edge-ams-1""#,
    ),
    (
        &SERVICES,
        r#"name not   icontains "Test""#,
        r#"name not icontains "TEST""#,
    ),
    (&SERVICES, "name contains 42", r#"name contains "42""#),
    (
        &SERVICE_POLICIES,
        r#"name in ["dial-a", "bind-a"]"#,
        r#"name in ["bind-a", "dial-a"]"#,
    ),
    (&SERVICES, "name = 5", r#"name = "5""#),
    (&IDENTITIES, "isAdmin", "isAdmin = true"),
    (&IDENTITIES, "isAdmin != true", "isAdmin = false"),
    (&IDENTITIES, "not isAdmin", "not isAdmin = true"),
    (
        &IDENTITIES,
        "NOT (isAdmin or isDefaultAdmin)",
        "not (isAdmin = true or isDefaultAdmin = true)",
    ),
    (&IDENTITIES, "isAdmin = TRUE", "isAdmin = true"),
    (
        &IDENTITIES,
        r#"not isAdmin and name = "x""#,
        r#"not (isAdmin = true and name = "x")"#,
    ),
    (
        &IDENTITIES,
        r#"(not isAdmin) and name = "x""#,
        r#"(not isAdmin = true) and name = "x""#,
    ),
    (
        &IDENTITIES,
        r#"isAdmin and name = "a" or name = "b""#,
        r#"isAdmin = true and (name = "a" or name = "b")"#,
    ),
    (
        &IDENTITIES,
        r#"(isAdmin and name = "a") or name = "b""#,
        r#"(isAdmin = true and name = "a") or name = "b""#,
    ),
    (
        &IDENTITIES,
        r#"name = "a" or name = "b" and isAdmin"#,
        r#"name = "a" or (name = "b" and isAdmin = true)"#,
    ),
    (&EDGE_ROUTERS, "cost in [1, 2.5]", "cost in [1.0, 2.5]"),
    (&EDGE_ROUTERS, "cost = 1e1", "cost = 10.0"),
    (&EDGE_ROUTERS, "cost contains 5", r#"cost contains "5""#),
    (&SERVICES, "name in [1, 2]", r#"name in ["1", "2"]"#),
    (
        &IDENTITIES,
        "createdAt >= datetime(2031-01-02T00:00:00.000+02:00)",
        "createdAt >= datetime(2031-01-01T22:00:00Z)",
    ),
    (
        &IDENTITIES,
        "createdAt > datetime( 2031-01-02T03:04:05z )",
        "createdAt > datetime(2031-01-02T03:04:05Z)",
    ),
    (&IDENTITIES, "tags.enabled", "tags.enabled = true"),
    (
        &IDENTITIES,
        r#"anyOf(roleAttributes) in ["sales", "ops"]"#,
        r#"anyOf(roleAttributes) in ["ops", "sales"]"#,
    ),
    (
        &IDENTITIES,
        r#"anyOf(roleAttributes) not in ["sales", "ops"]"#,
        r#"anyOf(roleAttributes) not in ["ops", "sales"]"#,
    ),
    (
        &IDENTITIES,
        r#"anyOf( roleAttributes ) icontains "SAL""#,
        r#"anyOf(roleAttributes) icontains "SAL""#,
    ),
    (
        &AUTHENTICATORS,
        r#"identity="k3Qd.v9xT" and method="updb""#,
        r#"identity = "k3Qd.v9xT" and method = "updb""#,
    ),
    (
        &EDGE_ROUTERS,
        "isVerified = false and isTunnelerEnabled",
        "isVerified = false and isTunnelerEnabled = true",
    ),
    (
        &SIGNERS,
        r#"enabled and issuer contains "example""#,
        r#"enabled = true and issuer contains "example""#,
    ),
    (&IDENTITIES, "sort by name", "true sort by name"),
    (
        &IDENTITIES,
        "sort by name desc, createdAt",
        "true sort by name desc, createdAt",
    ),
    (&IDENTITIES, "skip 10", "true skip 10"),
    (&IDENTITIES, "skip 10 limit 5", "true skip 10 limit 5"),
    (&IDENTITIES, "limit 1", "true limit 1"),
    (&IDENTITIES, "limit none", "true limit none"),
    (
        &SERVICES,
        "sort by name limit none",
        "true sort by name limit none",
    ),
    (&IDENTITIES, "limit 0", "true limit 10"),
    (&IDENTITIES, "limit 100000", "true limit 500"),
    (&IDENTITIES, "limit -7", "true limit 10"),
    (&IDENTITIES, "skip -3", "true skip 0"),
    (&IDENTITIES, r#"  name = "x"  "#, r#"name = "x""#),
    // One extent rule for `and`, `or` and `not`: as far to the right as possible.
    (
        &IDENTITIES,
        "true and true or false",
        "true and (true or false)",
    ),
    (
        &IDENTITIES,
        "true or true and false",
        "true or (true and false)",
    ),
    (
        &IDENTITIES,
        "true and true and true or false",
        "true and true and (true or false)",
    ),
    (
        &IDENTITIES,
        "not true or true and false",
        "not (true or (true and false))",
    ),
    (
        &IDENTITIES,
        "true and not true and false",
        "true and not (true and false)",
    ),
    (&IDENTITIES, "((true))", "true"),
    (&IDENTITIES, "(true)\tAND\r\n(false)", "true and false"),
    // Words in any letter case, blanks of any kind.
    (
        &IDENTITIES,
        r#"name CONTAINS "a" SORT BY name DESC LIMIT NONE"#,
        r#"name contains "a" sort by name desc limit none"#,
    ),
    (
        &IDENTITIES,
        r#"ISEMPTY( roleAttributes ) AND ANYOF(roleAttributes) NOT IN ["x"]"#,
        r#"isEmpty(roleAttributes) and anyOf(roleAttributes) not in ["x"]"#,
    ),
    (&IDENTITIES, "name\n=\t\"a\"", r#"name = "a""#),
    (
        &IDENTITIES,
        r#"name in [ "b" , "a","b" ]"#,
        r#"name in ["a", "b"]"#,
    ),
    (
        &IDENTITIES,
        "sort by name asc , createdAt DESC",
        "true sort by name, createdAt desc",
    ),
    // No blank is needed between a bracket and `contains`.
    (
        &IDENTITIES,
        r#"anyOf(roleAttributes)contains "x" and count(roleAttributes)NOT CONTAINS 1"#,
        r#"anyOf(roleAttributes) contains "x" and count(roleAttributes) not contains "1""#,
    ),
    (&IDENTITIES, "isAdmin != false", "isAdmin = true"),
    (&IDENTITIES, "tags.b != true", "tags.b = false"),
    (&IDENTITIES, "name = 1e3", r#"name = "1000""#),
    (
        &IDENTITIES,
        "tags.n contains 2.50",
        r#"tags.n contains "2.5""#,
    ),
    (
        &EDGE_ROUTERS,
        "cost between 1 and 2.5",
        "cost between 1.0 and 2.5",
    ),
    (
        &EDGE_ROUTERS,
        "cost = 9223372036854775808",
        "cost = 9.223372036854776e18",
    ),
    // Instants that cannot be written in UTC are the first and the last that can.
    (
        &IDENTITIES,
        "createdAt > datetime(0000-01-01T00:00:00+23:59)",
        "createdAt > datetime(0000-01-01T00:00:00Z)",
    ),
    (
        &IDENTITIES,
        "createdAt < datetime(9999-12-31T23:59:59Z)",
        "createdAt < datetime(9999-12-30T22:00:00.999999999Z)",
    ),
    // No number of rows is wrong for its size.
    (
        &IDENTITIES,
        "skip 99999999999999999999 limit 99999999999999999999",
        "true skip 100000 limit 500",
    ),
    (
        &IDENTITIES,
        "skip -99999999999999999999 limit -99999999999999999999",
        "true skip 0 limit 10",
    ),
    (&IDENTITIES, "limit -1", "true limit none"),
];

#[test]
fn accepted_queries_mean_what_they_print() {
    let canonical = CANONICAL
        .iter()
        .map(|(schema, text)| (*schema, *text, *text));
    for (schema, text, printed) in canonical.chain(REWRITTEN.iter().copied()) {
        assert_eq!(parse(schema, text).to_string(), printed, "{text}");
    }
}

#[test]
fn printed_queries_are_read_as_the_same_query() {
    let texts = CANONICAL.iter().copied();
    for (schema, text) in texts.chain(REWRITTEN.iter().map(|(schema, text, _)| (*schema, *text))) {
        let query = parse(schema, text);
        assert_eq!(parse(schema, &query.to_string()), query, "{text}");
    }
}

#[test]
fn an_empty_text_is_no_query() {
    assert!(Query::parse(&IDENTITIES, "").is_err());
    assert!(Query::parse(&IDENTITIES, " ").is_err());
    assert_eq!(Query::match_all(), parse(&IDENTITIES, "true"));
}
