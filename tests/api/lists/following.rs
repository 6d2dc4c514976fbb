//! Long lists, followed page by page from the last id of the page before.

use crate::support::lists::{list, pagination};
use crate::support::{create, text};
use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;

/// Follows a list to its end; answers the ids of its pages.
async fn followed(
    controller: &Harness,
    admin: &str,
    path: &str,
    condition: &str,
    is_down: bool,
) -> Vec<Vec<String>> {
    let mut pages: Vec<Vec<String>> = Vec::new();
    loop {
        let (sign, sort) = if is_down {
            ("<", "id desc")
        } else {
            (">", "id")
        };
        let filter = match pages.last().and_then(|page| page.last()) {
            Some(last) => format!("id {sign} \"{last}\" and ({condition})"),
            None => condition.to_owned(),
        };
        let parameters = [("filter", &*filter), ("sort", sort), ("limit", "7")];
        let reply = list(controller, admin, path, &parameters).await;
        let page: Vec<_> = reply
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|row| text(row, "id").to_owned())
            .collect();
        let total = pagination(&reply).2.as_u64().unwrap();
        assert!(page.len() as u64 == total.min(7), "{filter}: {total}");
        if page.is_empty() {
            return pages;
        }
        pages.push(page);
    }
}

#[tokio::test]
async fn pages_that_follow_each_other_make_the_whole_list() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    for number in 0..60 {
        let attributes = if number % 3 == 0 {
            json!(["third"])
        } else {
            json!([])
        };
        let more = json!({
            "roleAttributes": attributes, "tags": {"half": number % 2 == 0},
            "enrollment": {"ott": true},
        });
        create(&controller, &admin, &format!("n{number:02}"), more).await;
    }
    for (path, condition) in [
        ("/identities", "true"),
        ("/identities", r#"anyOf(roleAttributes) = "third""#),
        ("/identities", "tags.half"),
        ("/identities", r#"name contains "1" or tags.half"#),
        ("/identities", "false"),
        ("/enrollments", "true"),
        ("/authenticators", "true"),
        ("/api-sessions", "true"),
        ("/auth-policies", "true"),
        ("/identity-types", "true"),
    ] {
        let whole = [("filter", condition), ("limit", "-1")];
        let whole = list(&controller, &admin, path, &whole).await.data();
        let mut whole: Vec<_> = whole
            .as_array()
            .unwrap()
            .iter()
            .map(|row| text(row, "id").to_owned())
            .collect();
        assert!(whole.is_sorted());
        let pages = followed(&controller, &admin, path, condition, false).await;
        assert_eq!(pages.concat(), whole, "{path} {condition}");
        let pages = followed(&controller, &admin, path, condition, true).await;
        whole.reverse();
        assert_eq!(pages.concat(), whole, "{path} {condition}, downwards");
    }
}

#[tokio::test]
async fn what_was_there_all_the_time_is_met_once_while_others_come_and_go() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut stay = Vec::new();
    let mut go = Vec::new();
    for number in 0..60 {
        let id = create(&controller, &admin, &format!("n{number:02}"), json!({})).await;
        if number % 2 == 0 { &mut stay } else { &mut go }.push(id);
    }
    stay.sort();
    let mut met = Vec::new();
    let mut last = String::new();
    for round in 0.. {
        let filter = format!("id > \"{last}\" and name contains \"n\"");
        let parameters = [("filter", &*filter), ("limit", "5")];
        let page = list(&controller, &admin, "/identities", &parameters)
            .await
            .data();
        let Some(end) = page.as_array().unwrap().last() else {
            break;
        };
        text(end, "id").clone_into(&mut last);
        met.extend(
            page.as_array()
                .unwrap()
                .iter()
                .map(|row| text(row, "id").to_owned()),
        );
        // The one that the next page would have begun behind may be among them.
        for id in go.drain(..go.len().min(4)) {
            let request = controller.manage(Method::DELETE, &format!("/identities/{id}"), &admin);
            assert_eq!(request.send().await.status, 200);
        }
        create(&controller, &admin, &format!("new n {round}"), json!({})).await;
    }
    assert!(met.is_sorted_by(|left, right| left < right), "none twice");
    met.retain(|id| stay.contains(id));
    assert_eq!(met, stay);
}
