//! Filters of lists: what they choose, and what is said about their mistakes.

use crate::support::lists::{list, names, pagination, with_fifteen_identities};
use crate::support::{create, revision, text};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;

#[tokio::test]
async fn filters_choose_rows() {
    let (controller, admin, ids) = with_fifteen_identities().await;
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
            "externalId != null".to_owned(),
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
    let (controller, admin, _) = with_fifteen_identities().await;
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
