//! Lists: what they choose, in which order, and how far they go.

use crate::Session;
use insta::assert_snapshot;
use portcullis_api::identity::{IdentityCreate, IdentityDetail};
use portcullis_client::{Api, Client, Trust};
use portcullis_pki::certificates_from_pem;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The names in a document that holds a list.
pub(crate) fn names(list: &Value) -> Vec<&str> {
    let data = list.as_array().unwrap();
    data.iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}

#[test]
fn lists_are_filtered_sorted_and_paged() {
    let session = Session::logged_in();
    for (name, kind) in [("anvil", "device"), ("bolt", "device"), ("cog", "user")] {
        session.json(&["identity", "create", name, "--type", kind]);
    }
    for (arguments, expected) in [
        (
            &["--sort", "name desc"][..],
            &["cog", "bolt", "anvil", "admin"][..],
        ),
        (
            &["--sort", "name", "--limit", "2", "--offset", "1"],
            &["anvil", "bolt"],
        ),
        (
            &["--sort", "name", "--offset", "2", "--all"],
            &["bolt", "cog"],
        ),
        (
            &["--filter", "name contains \"o\" sort by name"],
            &["bolt", "cog"],
        ),
        (
            &["--type", "device", "--filter", "sort by name limit 1"],
            &["anvil"],
        ),
        (&["--type", "device", "--filter", "name = \"cog\""], &[]),
        (
            &["--type", "device", "--sort", "name", "--filter", " "],
            &["anvil", "bolt"],
        ),
        (
            &["--all", "--filter", "true sort by name skip 1 limit 2"],
            &["anvil", "bolt"],
        ),
    ] {
        let list = session.json(&[&["identity", "list"], arguments].concat());
        assert_eq!(names(&list), expected, "{arguments:?}");
    }
    let enrollments = session.json(&["enrollment", "list", "--identity", "bolt"]);
    assert_eq!(enrollments.as_array().unwrap().len(), 1);
    assert_eq!(enrollments[0]["identity"]["name"], "bolt");
    let none = ["enrollment", "list", "--identity", "nobody"];
    let missing = session.run(&none).expect_code(1).stderr;
    assert!(missing.contains("no identity with"), "{missing}");
}

#[tokio::test]
async fn long_lists_are_followed_to_their_end() {
    let session = Session::logged_in();
    create_many(&session, 1100).await;
    let whole = session.json(&["identity", "list", "--all", "--sort", "name"]);
    let names = names(&whole);
    assert_eq!(names.len(), 1101);
    assert!(names.is_sorted());
    let ids: BTreeSet<_> = (whole.as_array().unwrap().iter())
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 1101, "each is there once");

    let table = session.run(&["identity", "list", "--all"]).success().text();
    assert_eq!(table.lines().count(), 1103, "header, rows, footer");
    assert!(table.ends_with("\n1101 identities\n"), "{table}");
    let page = session.run(&["identity", "list"]).success().text();
    let standing = "\n1 to 100 of 1101 identities; for more use --offset or --all\n";
    assert!(page.ends_with(standing), "{page}");

    // A limit of its own in a filter holds for what is deleted too.
    let filter = ["--filter", "name contains \"n0\" limit 3"];
    let list = ["identity", "list", "--all", "--output", "json"];
    let chosen = session.run(&[&list[..], &filter].concat()).success();
    let chosen: Value = serde_json::from_slice(&chosen.stdout).unwrap();
    assert_eq!(chosen.as_array().unwrap().len(), 3);
    let delete = [&["identity", "delete", "--yes"][..], &filter].concat();
    let deleted = session.json(&delete);
    assert_eq!(deleted["deleted"].as_array().unwrap().len(), 3);

    let rest = ["identity", "delete", "--yes", "--filter", "isAdmin = false"];
    let deleted = session.json(&rest);
    assert_eq!(deleted["deleted"].as_array().unwrap().len(), 1097);
    assert_eq!(deleted["failed"], serde_json::json!([]));
    let left = session.run(&["identity", "list"]).success().text();
    assert!(left.ends_with("\n1 identity\n"), "{left}");
}

/// What is wrong with a filter is told with a mark under it, whatever stands before it.
#[test]
fn faults_in_filters_are_marked() {
    let session = Session::logged_in();
    let admin = session.json(&["identity", "show", "admin"]);
    let transcript = session.transcript(&[
        "identity list --filter 'isAdmin and nmae = \"x\"'",
        "identity list --sort 'name, nmae desc'",
        "identity list --filter 'true and \u{1}'",
        "enrollment list --identity admin --filter 'nmae = 1'",
        "api GET identities 'name =='",
        "identity delete --filter 'nmae=1' --yes",
    ]);
    let id = admin["id"].as_str().unwrap();
    let transcript = transcript.replace(id, "ID-OF-ADMIN").replace('\u{1}', "^A");
    assert_snapshot!(transcript, @r#"
        $ portcullis identity list --filter 'isAdmin and nmae = "x"'
        error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 13: unknown field `nmae`; did you mean `name`?
          isAdmin and nmae = "x"
                      ^^^^
        hint: filters look like `name contains "lap" and isAdmin = false`
        request id: REQUEST
        [1]
        $ portcullis identity list --sort 'name, nmae desc'
        error: the controller refused: The list cannot be sorted by this field; use one of those in meta.filterableFields of its answers (INVALID_SORT_IDENTIFIER): line 1, column 7: unknown field `nmae`; did you mean `name`?
          name, nmae desc
                ^^^^
        hint: sort orders look like `name` or `createdAt desc, name`
        request id: REQUEST
        [1]
        $ portcullis identity list --filter 'true and ^A'
        error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 10: unexpected character '\u{1}'
          true and \u{1}
                   ^^^^^
        hint: filters look like `name contains "lap" and isAdmin = false`
        request id: REQUEST
        [1]
        $ portcullis enrollment list --identity admin --filter 'nmae = 1'
        error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 30: unknown field `nmae`
          identity = "ID-OF-ADMIN" and nmae = 1
                                       ^^^^
        hint: filters look like `name contains "lap" and isAdmin = false`
        request id: REQUEST
        [1]
        $ portcullis api GET identities 'name =='
        error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 7: expected a string, a number, a datetime, a boolean or `null`, but found `=` (use a single `=`)
          name ==
                ^
        hint: filters look like `name contains "lap" and isAdmin = false`
        request id: REQUEST
        [1]
        $ portcullis identity delete --filter 'nmae=1' --yes
        error: the controller refused: The filter is not valid (INVALID_FILTER): line 1, column 1: unknown field `nmae`; did you mean `name`?
          nmae=1
          ^^^^
        hint: filters look like `name contains "lap" and isAdmin = false`
        request id: REQUEST
        [1]
        "#);
}

/// A text that means two identities deletes neither.
#[test]
fn text_that_means_two_is_refused() {
    let session = Session::logged_in();
    let first = session.json(&["identity", "create", "first"]);
    let id = first["id"].as_str().unwrap();
    let second = session.json(&["identity", "create", id]);
    let other = second["id"].as_str().unwrap();
    for arguments in [
        &["identity", "show", id][..],
        &["identity", "update", id, "--admin", "true"],
        &["identity", "delete", id, "--yes"],
        &["enrollment", "list", "--identity", id],
    ] {
        let refused = session.run(arguments).expect_code(1).stderr;
        assert!(refused.contains("`first`"), "{refused}");
        assert!(refused.contains(other), "{refused}");
        assert!(refused.contains(&format!("`id:{id}`")), "{refused}");
    }
    let (by_id, by_name) = (format!("id:{id}"), format!("name:{id}"));
    assert_eq!(session.json(&["identity", "show", &by_id])["name"], "first");
    assert_eq!(session.json(&["identity", "show", &by_name])["id"], other);
    session.run(&["identity", "delete", &by_name]).success();
    assert_eq!(session.json(&["identity", "show", id])["name"], "first");
}

/// Creates identities `n0000` and so on.
async fn create_many(session: &Session, count: usize) {
    let ca = fs::read_to_string(session.controller.ca()).unwrap();
    let anchors = certificates_from_pem(&ca).unwrap();
    let anchors = anchors
        .iter()
        .map(|certificate| certificate.as_rustls().clone());
    let url = session.controller.url().parse().unwrap();
    let client = Client::builder(&url, Trust::anchors(anchors))
        .build()
        .unwrap();
    let admin = client
        .authenticate_with_password(Api::Management, "admin", crate::session::PASSWORD.into())
        .await
        .unwrap();
    let client = client.with_session(admin.token);
    for number in 0..count {
        let identity = IdentityCreate::named(format!("n{number:04}"));
        client
            .create_entity::<IdentityDetail>(&identity)
            .await
            .unwrap();
    }
}
