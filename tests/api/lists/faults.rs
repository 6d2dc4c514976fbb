//! Lists that are asked for in a way that makes no sense: what is said, where the fault is, and
//! how soon.

use crate::support::lists::{list, names, pagination, with_fifteen_identities};
use crate::support::{get, revision, text};
use http::Method;
use portcullis_storage::tables::COLLECTIONS;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FILTER: &str = "INVALID_FILTER";
const SORT: &str = "INVALID_SORT_IDENTIFIER";
const VALIDATE: &str = "COULD_NOT_VALIDATE";

/// The lists of all kinds, and of what comes with the program.
fn lists() -> impl Iterator<Item = String> {
    let has_list = |collection: &&str| !["api-session-certificates", "mfas"].contains(collection);
    COLLECTIONS
        .iter()
        .map(|(collection, _)| *collection)
        .filter(has_list)
        .chain(["edge-routers", "transit-routers"])
        .chain(["controllers", "identity-types", "posture-check-types"])
        .map(|collection| format!("/{collection}"))
}

fn message(reply: &Reply) -> String {
    let cause = reply.json()["error"]["cause"].clone();
    assert_eq!(cause["code"], "UNHANDLED");
    text(&cause, "message").to_owned()
}

#[tokio::test]
async fn faults_are_named_and_pointed_at() {
    let (controller, admin, _ids) = with_fifteen_identities().await;
    let at = revision(&controller);
    for (query, column, mentions) in [
        (r#"name == "x""#, 6, "`=`"),
        ("name = 'x'", 7, "double quotes"),
        ("name = x", 7, "`x`"),
        (r#"name <> "x""#, 6, "`!=`"),
        (r#"name like "x""#, 5, "`like`"),
        ("name is null", 5, "`= null`"),
        ("null = name", 0, "`null`"),
        ("name in []", 9, "`]`"),
        (r#"name in ["a", 1]"#, 14, "a number"),
        (r#"name in["a"]"#, 7, "a space"),
        (r#"name not  in ["a"]"#, 5, "one space"),
        (r#"name contains"x""#, 13, "a space"),
        ("name icontains 5", 15, "a string"),
        (r#"name between "a" and "b""#, 13, "a string"),
        (r#"(name = "x""#, 11, "`)`"),
        (r#"name = "x")"#, 10, "`)`"),
        (r#"name = "x" and"#, 14, "end"),
        (r#"name="a"and name="b""#, 8, "a space"),
        (r#"name = "x" && isAdmin"#, 11, "`and`"),
        ("not(isAdmin)", 3, "a space"),
        (r#"anyOf (roleAttributes) = "x""#, 6, "no space"),
        ("isEmpty(roleAttributes) = true", 24, "`=`"),
        (r#"name = "x" limit 5 skip 2"#, 19, "`skip`"),
        ("limit 5 sort by name", 8, "`sort`"),
        ("sort by name ascending", 13, "`ascending`"),
        (r#"name1 = "x""#, 4, "digits"),
        (r#"name = "caf\u00e9""#, 11, "escape"),
        ("isAdmin > true", 10, "`true`"),
        ("name < null", 7, "`null`"),
        (r#"name = "x"#, 7, "not terminated"),
        ("createdAt > datetime(2031-01-02)", 12, "RFC 3339"),
        (r#"nosuch = "x""#, 0, "`nosuch`"),
        (r#"roleAttributes = "x""#, 0, "a set"),
        (r#"anyOf(name) = "x""#, 6, "not a set"),
        (r#"isAdmin = "true""#, 10, "a boolean"),
        (r#"createdAt > "2031-01-02T03:04:05Z""#, 12, "a datetime"),
        ("name = true", 7, "a string"),
        (r#"isAdmin contains "t""#, 8, "a boolean"),
        ("name between 1 and 2", 5, "a string"),
        (r#"type.name = "Default""#, 0, "`type.name`"),
        ("limit 2.5", 6, "an integer"),
        ("isEmpty(from name where true)", 13, "`name`"),
        ("name", 0, "compare it"),
        ("sort by nosuch", 8, "`nosuch`"),
        ("sort by roleAttributes", 8, "`roleAttributes`"),
        ("sort by tags.rank", 8, "tags"),
        ("sort by tags", 8, "`tags`"),
        ("name = \"a\"\nand \n nosuch = 1", 1, "`nosuch`"),
    ] {
        let reply = list(&controller, &admin, "/identities", &[("filter", query)]).await;
        assert_eq!(reply.status, 400, "{query}: {}", reply.text());
        assert!([FILTER, SORT].contains(&&*reply.error().1), "{query}");
        let message = message(&reply);
        let lines: Vec<_> = message.lines().collect();
        let [said, line, marks] = lines[..] else {
            panic!("{query}: {message}")
        };
        assert!(said.contains(mentions), "{query}: {said}");
        assert!(
            said.contains(&format!(", column {}: ", column + 1)),
            "{query}: {said}"
        );
        assert!(query.contains(line), "{query}: {line}");
        assert_eq!(marks.find('^'), Some(column), "{query}: {message}");
        assert_eq!(marks.trim_start().trim_matches('^'), "", "{query}");
    }
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn unknown_symbols_name_the_nearest_known_one() {
    let (controller, admin, _ids) = with_fifteen_identities().await;
    for (path, symbol, nearest) in [
        ("/identities", "nmae", "`name`"),
        ("/identities", "NAME", "`name`"),
        ("/identities", "isadmin", "`isAdmin`"),
        ("/identities", "roleAttribute", "`roleAttributes`"),
        ("/identities", "createdat", "`createdAt`"),
        ("/authenticators", "identityId", "`identity`"),
        ("/authenticators", "certFingerprnt", "`certFingerprint`"),
        (
            "/auth-policies",
            "primary.cert.allow",
            "`primary.cert.allowed`",
        ),
        ("/api-sessions", "ipAdress", "`ipAddress`"),
        ("/enrollments", "edgerouter", "`edgeRouter`"),
        ("/services", "roleattributes", "`roleAttributes`"),
        ("/services", "terminatorstrategy", "`terminatorStrategy`"),
        ("/configs", "typ", "`type`"),
        ("/config-types", "targets", "`target`"),
        ("/edge-routers", "noTravesal", "`noTraversal`"),
        ("/transit-routers", "finger_print", "`fingerprint`"),
        ("/terminators", "service.nmae", "`service.name`"),
        ("/service-policies", "serviceRole", "`serviceRoles`"),
        (
            "/edge-router-policies",
            "edgeRouterRole",
            "`edgeRouterRoles`",
        ),
        ("/service-edge-router-policies", "Semantic", "`semantic`"),
        ("/posture-checks", "typeid", "`typeId`"),
        ("/sessions", "apisession", "`apiSession`"),
    ] {
        let filter = format!("{symbol} = null");
        for (parameter, value, code) in [("filter", &*filter, FILTER), ("sort", symbol, SORT)] {
            let reply = list(&controller, &admin, path, &[(parameter, value)]).await;
            assert_eq!(reply.error(), (400, code.to_owned()), "{path} {value}");
            let message = message(&reply);
            assert!(message.contains(&format!("`{symbol}`")), "{message}");
            assert!(message.contains(nearest), "{path} {value}: {message}");
        }
    }
    // What is near to nothing, and what belongs to another kind.
    for (path, symbol) in [
        ("/identities", "zzzzzz"),
        ("/identities", "updbUsername"),
        ("/enrollments", "method"),
        ("/enrollments", "expiresAt"),
        ("/identities", "permissions"),
        ("/services", "encryptionRequired"),
        ("/services", "identities"),
        ("/configs", "data"),
        ("/configs", "configType"),
        ("/edge-routers", "isOnline"),
        ("/transit-routers", "roleAttributes"),
        ("/terminators", "service.id"),
        ("/service-policies", "postureChecks"),
        ("/edge-router-policies", "identities"),
        ("/service-edge-router-policies", "type"),
        ("/posture-checks", "timeoutSeconds"),
        ("/sessions", "identity"),
    ] {
        let filter = format!("{symbol} = null");
        let reply = list(&controller, &admin, path, &[("filter", &*filter)]).await;
        assert_eq!(reply.error(), (400, FILTER.to_owned()), "{path} {symbol}");
    }
}

#[tokio::test]
async fn orders_that_there_are_not_are_refused() {
    let (controller, admin, _ids) = with_fifteen_identities().await;
    for (path, sort) in [
        ("/identities", "roleAttributes"),
        ("/identities", "name, roleAttributes desc"),
        ("/identities", "tags.rank"),
        ("/identities", "tags"),
        ("/identities", "nosuch"),
        ("/identities", "name,"),
        ("/identities", ","),
        ("/identities", "name sideways"),
        ("/identities", "name desc asc"),
        ("/identities", "1"),
        ("/enrollments", "name"),
        ("/enrollments", "expiresAt"),
        ("/authenticators", "updbPassword"),
        ("/api-sessions", "token"),
        ("/auth-policies", "primary"),
        ("/services", "roleAttributes"),
        ("/services", "configs"),
        ("/configs", "data"),
        ("/config-types", "tags"),
        ("/edge-routers", "configs"),
        ("/transit-routers", "tags.a"),
        ("/terminators", "service.id"),
        ("/service-policies", "identities"),
        ("/edge-router-policies", "identityRoles"),
        ("/service-edge-router-policies", "serviceRoles"),
        ("/posture-checks", "roleAttributes"),
        ("/sessions", "identity"),
    ] {
        let reply = list(&controller, &admin, path, &[("sort", sort)]).await;
        assert_eq!(reply.status, 400, "{path} sort={sort}: {}", reply.text());
        let code = reply.error().1;
        let is_token = sort == "token";
        assert!(
            code == SORT || (is_token && code == FILTER),
            "{path} sort={sort}: {code}"
        );
        let filter = format!("true sort by {sort}");
        let reply = list(&controller, &admin, path, &[("filter", &filter)]).await;
        assert_eq!(reply.status, 400, "{path} {filter}: {}", reply.text());
    }
    // A page that stands in an order is not heard.
    let reply = list(
        &controller,
        &admin,
        "/identities",
        &[("sort", "name desc skip 3 limit 1")],
    )
    .await;
    assert_eq!(names(&reply)[..2], ["n14", "n13"]);
    assert_eq!(pagination(&reply), (json!(10), json!(0), json!(16)));
    // Written otherwise than most write it, but an order.
    for sort in [
        "name ASC",
        "name  desc",
        " name",
        "name ,id",
        "name,name desc",
        "id desc, name",
    ] {
        let reply = list(&controller, &admin, "/identities", &[("sort", sort)]).await;
        assert_eq!(reply.status, 200, "sort={sort}: {}", reply.text());
    }
}

#[tokio::test]
async fn numbers_are_judged_before_permissions_and_after_sessions() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "somebody", json!({})).await;
    let nobody = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";
    let below = ["/identities/x/authenticators", "/identities/x/enrollments"];
    for path in &lists().chain(below.map(str::to_owned)).collect::<Vec<_>>() {
        for (parameter, value) in [
            ("limit", "abc"),
            ("limit", "1.5"),
            ("limit", "1e3"),
            ("limit", " 1"),
            ("limit", "0x10"),
            ("limit", "none"),
            ("limit", "-"),
            ("offset", "x"),
            ("offset", "1,0"),
            ("offset", "1 2"),
        ] {
            for caller in [&admin, &user] {
                let reply = list(&controller, caller, path, &[(parameter, value)]).await;
                let expected = (400, VALIDATE.to_owned());
                assert_eq!(reply.error(), expected, "{path} {parameter}={value}");
                assert_eq!(reply.field(), parameter);
                let shown = reply.json()["error"]["cause"]["value"].clone();
                assert_eq!(shown, value);
            }
            let reply = list(&controller, nobody, path, &[(parameter, value)]).await;
            assert_eq!(reply.status, 401, "{path} {parameter}={value}");
        }
    }
    // A filter says something about the rows, and so is for those who may read them.
    let reply = list(
        &controller,
        &user,
        "/identities",
        &[("filter", "nosuch = 1")],
    )
    .await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn numbers_of_any_size_are_taken() {
    let (controller, admin, _ids) = with_fifteen_identities().await;
    let unlimited = || json!(i64::MAX);
    for (parameters, rows, limit, offset) in [
        (&[("limit", "-9223372036854775808")][..], 10, json!(10), 0),
        (&[("limit", "-99999999999999999999")], 10, json!(10), 0),
        (&[("limit", "9223372036854775807")], 16, json!(500), 0),
        (
            &[("limit", "99999999999999999999999999")],
            16,
            json!(500),
            0,
        ),
        (&[("limit", "-2")], 10, json!(10), 0),
        (&[("limit", "-1")], 16, unlimited(), 0),
        (
            &[("limit", "-1"), ("offset", "5"), ("sort", "name")],
            11,
            unlimited(),
            5,
        ),
        (&[("offset", "-1")], 10, json!(10), 0),
        (&[("offset", "15")], 1, json!(10), 15),
        (&[("offset", "16")], 0, json!(10), 16),
        (&[("offset", "100000")], 0, json!(10), 100_000),
        (&[("offset", "100001")], 0, json!(10), 100_000),
        (&[("offset", "99999999999999999999")], 0, json!(10), 100_000),
        (
            &[("offset", "99999999999999999999"), ("limit", "-1")],
            0,
            unlimited(),
            100_000,
        ),
        (
            &[("filter", "skip 100000 limit none")],
            0,
            unlimited(),
            100_000,
        ),
        (&[("filter", "skip -5 limit -5")], 10, json!(10), 0),
        (&[("filter", "limit 100000")], 16, json!(500), 0),
        (
            &[("filter", "true skip 99999999999999999999")],
            0,
            json!(10),
            100_000,
        ),
        (&[("filter", r#"name = "n03" skip 1"#)], 0, json!(10), 1),
    ] {
        let reply = list(&controller, &admin, "/identities", parameters).await;
        assert_eq!(
            reply.data().as_array().unwrap().len(),
            rows,
            "{parameters:?}"
        );
        let total = if parameters[0].1.contains("n03") {
            1
        } else {
            16
        };
        let expected = (limit, json!(offset), json!(total));
        assert_eq!(pagination(&reply), expected, "{parameters:?}");
    }
}

/// What a list takes in this test at most; a busy machine is slow.
const SOON: Duration = Duration::from_secs(5);

#[tokio::test]
async fn filters_that_are_too_large_are_refused_at_once() {
    let (controller, admin, _ids) = with_fifteen_identities().await;
    let names = |count| vec![r#"name="x""#; count].join(" or ");
    let long = format!(r#"name = "{}""#, "x".repeat(64 << 10));
    let deep = |depth| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    let nots = |depth| format!("{}true", "not ".repeat(depth));
    let zigzag = vec![r#"name="x" or name="y""#; 200].join(" and ");
    let subqueries = vec!["isEmpty(roleAttributes)"; 5000].join(" and ");
    for (what, filter) in [
        ("long", long.clone()),
        ("deep", deep(101)),
        ("deeper", deep(30_000)),
        ("nots", nots(101)),
        ("more nots", nots(15_000)),
        ("zigzag", zigzag),
        ("terms", subqueries),
        ("many terms", names(4097)),
        ("a million terms", names(1_000_000)),
        ("wrong and long", format!("nosuch = 1 and {}", names(4000))),
        (
            "wrong at its end",
            format!("{} and nosuch = 1", names(4000)),
        ),
    ] {
        for path in &lists().collect::<Vec<_>>() {
            // As it would come over a socket whose bounds are wider.
            let begun = Instant::now();
            let reply = whole_filter(&controller, &admin, path, &filter).await;
            assert!(
                begun.elapsed() < SOON,
                "{path} {what}: {:?}",
                begun.elapsed()
            );
            assert!([400, 414].contains(&reply.0), "{path} {what}: {}", reply.0);
            assert!(
                reply.1.len() < 4096,
                "{path} {what}: {} bytes",
                reply.1.len()
            );
        }
    }
    // What is just within the bounds is answered.
    for filter in [
        deep(99),
        nots(99),
        names(4000),
        format!("name in [{}]", list_of(7000)),
    ] {
        let begun = Instant::now();
        let (status, body) = whole_filter(&controller, &admin, "/identities", &filter).await;
        assert_eq!(status, 200, "{body}");
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
    let sort = vec!["name"; 8000].join(",");
    let begun = Instant::now();
    let reply = list(&controller, &admin, "/identities", &[("sort", &sort)]).await;
    assert!([200, 400].contains(&reply.status.as_u16()));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

fn list_of(count: usize) -> String {
    vec![r#""x""#; count].join(", ")
}

/// Asks with a filter that is encoded as little as possible; answers status and body. What is too
/// long for a URI of this client counts as refused.
async fn whole_filter(
    controller: &Harness,
    admin: &str,
    path: &str,
    filter: &str,
) -> (u16, String) {
    let filter = filter.replace(' ', "+").replace('"', "%22");
    let uri = format!("/edge/management/v1{path}?filter={filter}");
    if uri.parse::<http::Uri>().is_err() {
        return (414, String::new());
    }
    let request = controller.request(Method::GET, &uri).session(admin);
    let reply = request.send().await;
    (reply.status.as_u16(), reply.text())
}

#[tokio::test]
async fn queries_in_unusual_clothes_mean_the_same() {
    let (controller, admin, _ids) = with_fifteen_identities().await;
    for query in [
        "filter=name%3D%22n03%22",
        "filter=+name+%3D+%22n03%22+",
        "filter=%09name%0A=%0D%22n03%22",
        "filter=name%3D%22n03%22&filter=false",
        "filter=NOT+(name+!=+%22n03%22)",
        "filter=name+IN+%5B%22n03%22%5D&filter",
        "unknown=1&filter=name%3D%22n03%22&sort=",
        "filter=name%3D%22n03%22&limit=&offset=",
    ] {
        let reply = get(&controller, &admin, &format!("/identities?{query}")).await;
        assert_eq!(names(&reply), ["n03"], "{query}");
    }
    for query in ["filter", "filter=", "", "filter=true", "&&"] {
        let reply = get(&controller, &admin, &format!("/identities?{query}")).await;
        assert_eq!(pagination(&reply).2, 16, "{query}");
    }
    // Decoded once, and never guessed at.
    for query in [
        "filter=name%253D%2522n03%2522",
        "filter=%FF",
        "filter=name%3D%22n%00%22",
    ] {
        let reply = get(&controller, &admin, &format!("/identities?{query}")).await;
        assert_eq!(reply.status, 400, "{query}: {}", reply.text());
        let _: Value = reply.json();
    }
}
