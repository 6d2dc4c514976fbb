//! Lists: pages, orders, filters, and what is told beside the rows.

use crate::support::{create, get, revision, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Percent-encodes what a query cannot hold as it is.
fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

async fn list(controller: &Harness, admin: &str, path: &str, parameters: &[(&str, &str)]) -> Reply {
    let query: Vec<_> = parameters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect();
    get(controller, admin, &format!("{path}?{}", query.join("&"))).await
}

fn names(reply: &Reply) -> Vec<String> {
    let data = reply.data();
    let rows = data.as_array().unwrap().iter();
    rows.map(|row| text(row, "name").to_owned()).collect()
}

fn pagination(reply: &Reply) -> (Value, Value, Value) {
    let page = &reply.json()["meta"]["pagination"];
    (
        page["limit"].clone(),
        page["offset"].clone(),
        page["totalCount"].clone(),
    )
}

/// Fifteen identities, created a second apart, and the administrator before them.
async fn populated() -> (Harness, String, Vec<String>) {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut ids = Vec::new();
    for number in 0..15 {
        controller.clock.advance(SignedDuration::from_secs(1));
        // Names run against the order of creation, and sort by bytes.
        let name = format!("n{:02}", 14 - number);
        let attributes = if number % 2 == 0 {
            json!(["even", "all"])
        } else {
            json!(["all"])
        };
        let more = json!({
            "roleAttributes": attributes, "isAdmin": number == 3,
            "tags": {"rank": number, "odd": number % 2 == 1, "word": format!("w{number}")},
            "externalId": if number < 5 { json!(format!("ext{number}")) } else { json!(null) },
        });
        ids.push(create(&controller, &admin, &name, more).await);
    }
    (controller, admin, ids)
}

#[tokio::test]
async fn pages_are_cut_as_asked() {
    let (controller, admin, ids) = populated().await;
    let mut by_id = ids.clone();
    let all = list(&controller, &admin, "/identities", &[("limit", "500")]).await;
    let shown: Vec<_> = all
        .data()
        .as_array()
        .unwrap()
        .iter()
        .map(|row| text(row, "id").to_owned())
        .collect();
    let me = shown.iter().find(|id| !ids.contains(id)).unwrap().clone();
    by_id.push(me);
    by_id.sort();
    assert_eq!(shown, by_id, "by id when nothing else is asked for");
    for (parameters, rows, limit, offset) in [
        (&[][..], 10, 10, 0),
        (&[("limit", "")], 10, 10, 0),
        (&[("limit", "3")], 3, 3, 0),
        (&[("limit", "3"), ("offset", "14")], 2, 3, 14),
        (&[("limit", "3"), ("offset", "16")], 0, 3, 16),
        (&[("offset", "100")], 0, 10, 100),
        (&[("offset", "-5")], 10, 10, 0),
        (&[("limit", "0")], 10, 10, 0),
        (&[("limit", "-7")], 10, 10, 0),
        (&[("limit", "501")], 16, 500, 0),
        (&[("limit", "99999999999999999999")], 16, 500, 0),
        (&[("limit", "3"), ("limit", "4")], 3, 3, 0),
        (
            &[("filter", "true skip 1 limit 2"), ("limit", "5")],
            2,
            2,
            1,
        ),
        (&[("unknown", "x")], 10, 10, 0),
    ] {
        let reply = list(&controller, &admin, "/identities", parameters).await;
        assert_eq!(
            reply.data().as_array().unwrap().len(),
            rows,
            "{parameters:?}"
        );
        assert_eq!(
            pagination(&reply),
            (json!(limit), json!(offset), json!(16)),
            "{parameters:?}"
        );
    }
    for unlimited in [
        &[("limit", "-1")][..],
        &[("filter", "true limit none")],
        &[("filter", "limit none")],
    ] {
        let reply = list(&controller, &admin, "/identities", unlimited).await;
        assert_eq!(reply.data().as_array().unwrap().len(), 16, "{unlimited:?}");
        assert_eq!(pagination(&reply).2, 16, "{unlimited:?}");
    }
    // Pages meet without gap and overlap, in every order.
    for sort in ["", "name", "createdAt desc", "externalId", "name desc"] {
        let mut seen = Vec::new();
        for offset in (0..16).step_by(5) {
            let offset = offset.to_string();
            let parameters = [("limit", "5"), ("offset", &offset), ("sort", sort)];
            let page = list(&controller, &admin, "/identities", &parameters).await;
            seen.extend(
                page.data()
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|row| text(row, "id").to_owned()),
            );
        }
        assert_eq!(seen.len(), 16, "{sort}");
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 16, "{sort}");
    }
}

#[tokio::test]
async fn orders_are_as_asked() {
    let (controller, admin, _) = populated().await;
    let up: Vec<String> = std::iter::once("admin".to_owned())
        .chain((0..15).map(|number| format!("n{number:02}")))
        .collect();
    let down: Vec<String> = up.iter().rev().cloned().collect();
    let mut newest: Vec<String> = (0..15).map(|number| format!("n{number:02}")).collect();
    newest.push("admin".to_owned());
    let oldest: Vec<String> = newest.iter().rev().cloned().collect();
    for (sort, expected) in [
        ("name", &up),
        ("name asc", &up),
        ("NAME DESC", &down),
        ("name desc", &down),
        ("createdAt", &oldest),
        ("createdAt desc", &newest),
        ("isAdmin desc, name", &{
            let mut admins_first = vec!["admin".to_owned(), "n11".to_owned()];
            admins_first.extend(
                up.iter()
                    .filter(|name| *name != "admin" && *name != "n11")
                    .cloned(),
            );
            admins_first
        }),
    ] {
        if sort == "NAME DESC" {
            // Words of the language may be written in capitals, names of symbols not.
            let reply = list(&controller, &admin, "/identities", &[("sort", sort)]).await;
            assert_eq!(reply.error(), (400, "INVALID_SORT_IDENTIFIER".to_owned()));
            continue;
        }
        let parameters = [("sort", sort), ("limit", "50")];
        let reply = list(&controller, &admin, "/identities", &parameters).await;
        assert_eq!(&names(&reply), expected, "{sort}");
        let within = format!("true sort by {sort} limit 50");
        let reply = list(&controller, &admin, "/identities", &[("filter", &within)]).await;
        assert_eq!(&names(&reply), expected, "{within}");
    }
}

#[tokio::test]
async fn filters_choose_rows() {
    let (controller, admin, ids) = populated().await;
    for (filter, expected) in [
        (r#"name="n03""#.to_owned(), vec!["n03"]),
        (format!(r#"id="{}""#, ids[0]), vec!["n14"]),
        (
            r#"name contains "1""#.to_owned(),
            vec!["n01", "n10", "n11", "n12", "n13", "n14"],
        ),
        (
            r#"anyOf(roleAttributes)="even" and name < "n05""#.to_owned(),
            vec!["n00", "n02", "n04"],
        ),
        ("isAdmin=true".to_owned(), vec!["admin", "n11"]),
        ("isDefaultAdmin=true".to_owned(), vec!["admin"]),
        (r#"externalId="ext2""#.to_owned(), vec!["n12"]),
        (
            r#"externalId != null"#.to_owned(),
            vec!["n10", "n11", "n12", "n13", "n14"],
        ),
        ("tags.rank=4".to_owned(), vec!["n10"]),
        (r#"tags.word="w5""#.to_owned(), vec!["n09"]),
        (
            r#"type="Default" and name in ["n00", "n01"]"#.to_owned(),
            vec!["n00", "n01"],
        ),
        (
            r#"authPolicyId="default" and not (name contains "n")"#.to_owned(),
            vec![],
        ),
        (r#"name="nobody""#.to_owned(), vec![]),
    ] {
        let parameters = [
            ("filter", filter.as_str()),
            ("sort", "name"),
            ("limit", "50"),
        ];
        let reply = list(&controller, &admin, "/identities", &parameters).await;
        // The administrator's name contains an n as well.
        let expected = if filter.contains("not (") {
            Vec::new()
        } else {
            expected
        };
        assert_eq!(names(&reply), expected, "{filter}");
        assert_eq!(pagination(&reply).2, expected.len(), "{filter}");
    }
    // The number of all that match, not of the page.
    let parameters = [("filter", r#"name contains "n0" limit 3"#)];
    let reply = list(&controller, &admin, "/identities", &parameters).await;
    assert_eq!(pagination(&reply), (json!(3), json!(0), json!(10)));
}

#[tokio::test]
async fn mistakes_are_pointed_at() {
    let (controller, admin, _) = populated().await;
    let at = revision(&controller);
    let deep = format!("{}true{}", "(".repeat(101), ")".repeat(101));
    for (filter, mentions) in [
        ("name=", ""),
        (r#"nmae="x""#, "nmae"),
        (r#"name="x"#, ""),
        ("isAdmin=5", ""),
        (r#"enrollments="x""#, "enrollments"),
        (r#"type.name="x""#, "type"),
        (r#"name="x" and"#, ""),
        (r#"roleAttributes="x""#, "roleAttributes"),
        (deep.as_str(), ""),
    ] {
        for path in ["/identities", "/enrollments"] {
            if path == "/enrollments" && filter.starts_with("name") && mentions.is_empty() {
                continue;
            }
            let reply = list(&controller, &admin, path, &[("filter", filter)]).await;
            let start: String = filter.chars().take(40).collect();
            assert_eq!(
                reply.error(),
                (400, "INVALID_FILTER".to_owned()),
                "{path} {start}"
            );
            let cause = &reply.json()["error"]["cause"];
            assert_eq!(cause["code"], "UNHANDLED");
            let message = text(cause, "message");
            if path == "/identities" {
                assert!(message.contains(mentions), "{start}: {message}");
            }
            if filter.len() < 100 {
                assert!(
                    message.contains('^'),
                    "{start}: no mark under the fault: {message}"
                );
            }
            assert!(message.len() < 1024, "{start}: {}", message.len());
        }
    }
    for (parameter, value, code) in [
        ("sort", "nmae", "INVALID_SORT_IDENTIFIER"),
        ("sort", "roleAttributes", "INVALID_SORT_IDENTIFIER"),
        ("sort", "name upwards", "INVALID_SORT_IDENTIFIER"),
        ("limit", "abc", "COULD_NOT_VALIDATE"),
        ("limit", "1.5", "COULD_NOT_VALIDATE"),
        ("offset", "x", "COULD_NOT_VALIDATE"),
    ] {
        for path in [
            "/identities",
            "/enrollments",
            "/identity-types",
            "/controllers",
            "/services",
        ] {
            let reply = list(&controller, &admin, path, &[(parameter, value)]).await;
            assert_eq!(
                reply.error(),
                (400, code.to_owned()),
                "{path} {parameter}={value}"
            );
            if code == "COULD_NOT_VALIDATE" {
                assert_eq!(reply.field(), parameter);
                assert_eq!(reply.json()["error"]["cause"]["value"], value);
            }
        }
    }
    assert_eq!(revision(&controller), at);
}

#[tokio::test]
async fn enrollments_are_found_by_their_identity() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c"] {
        let how = json!({"enrollment": {"ott": true}});
        ids.push(create(&controller, &admin, name, how).await);
    }
    let body = json!({"identityId": ids[1], "method": "updb", "username": "someone", "expiresAt": "2032-01-01T00:00:00Z"});
    let request = controller.manage(Method::POST, "/enrollments", &admin);
    let second = request.json(&body).send().await.id();
    for (id, count) in [(ids[0].as_str(), 1), (ids[1].as_str(), 2), ("nope", 0)] {
        for filter in [
            format!(r#"identity="{id}""#),
            format!(r#"identity = "{id}" limit none"#),
            format!(r#"identity="{id}" and true"#),
            format!(r#"identity="{id}" sort by createdAt"#),
        ] {
            let reply = list(&controller, &admin, "/enrollments", &[("filter", &filter)]).await;
            let data = reply.data();
            assert_eq!(data.as_array().unwrap().len(), count, "{filter}");
            assert_eq!(pagination(&reply).2, count, "{filter}");
            for one in data.as_array().unwrap() {
                assert_eq!(one["identityId"], id);
                assert_eq!(one["identity"]["id"], id);
            }
        }
        let reply = list(
            &controller,
            &admin,
            &format!("/identities/{id}/enrollments"),
            &[],
        )
        .await;
        assert_eq!(
            pagination(&reply),
            (json!(10), json!(0), json!(count)),
            "{id}"
        );
    }
    let one = [("filter", format!(r#"id="{second}""#))];
    let one = [(one[0].0, one[0].1.as_str())];
    let reply = list(&controller, &admin, "/enrollments", &one).await;
    assert_eq!(reply.data()[0]["method"], "updb");
    let all = list(
        &controller,
        &admin,
        "/enrollments",
        &[("sort", "createdAt desc")],
    )
    .await;
    assert_eq!(pagination(&all).2, 4);
}

#[tokio::test]
async fn fields_that_filters_may_use_are_listed() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let common = ["id", "createdAt", "updatedAt", "tags", "isSystem"];
    for (path, own) in [
        (
            "/identities",
            &[
                "name",
                "externalId",
                "type",
                "authPolicyId",
                "isAdmin",
                "isDefaultAdmin",
                "roleAttributes",
            ][..],
        ),
        (
            "/enrollments",
            &["token", "identity", "edgeRouter", "transitRouter", "caId"],
        ),
        ("/identity-types", &["name"]),
    ] {
        let reply = get(&controller, &admin, path).await;
        let body = reply.json();
        let fields = body["meta"]["filterableFields"].as_array().unwrap();
        let given: BTreeSet<_> = fields.iter().map(|field| field.as_str().unwrap()).collect();
        assert_eq!(given.len(), fields.len(), "{path}: none twice");
        assert_eq!(given, common.iter().chain(own).copied().collect(), "{path}");
    }
}

#[tokio::test]
async fn kinds_without_members_have_ordinary_lists() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for path in [
        "/services",
        "/current-identity/edge-routers",
        "/external-jwt-signers",
    ] {
        let reply = controller
            .request(Method::GET, path)
            .session(&admin)
            .send()
            .await;
        assert_eq!(reply.data(), json!([]), "{path}");
        assert_eq!(
            pagination(&reply),
            (json!(10), json!(0), json!(0)),
            "{path}"
        );
        assert!(
            !reply.json()["meta"]["filterableFields"]
                .as_array()
                .unwrap()
                .is_empty()
        );
        let bad = controller.request(Method::GET, &format!("{path}?filter=nonsense%3D1"));
        assert_eq!(
            bad.session(&admin).send().await.error(),
            (400, "INVALID_FILTER".to_owned())
        );
    }
    let updates = controller.request(Method::GET, "/current-api-session/service-updates");
    let updates = updates.session(&admin).send().await.json();
    assert_eq!(
        updates,
        json!({"data": {"lastChangeAt": "2031-04-05T06:07:08.009Z"}, "meta": {}})
    );
}
