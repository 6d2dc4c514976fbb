//! Lists: pages, orders, and what is told beside the rows.

use crate::support::lists::{list, names, pagination, with_fifteen_identities};
use crate::support::{get, text};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test]
async fn pages_are_cut_as_asked() {
    let (controller, admin, ids) = with_fifteen_identities().await;
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
    let (controller, admin, _) = with_fifteen_identities().await;
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
