//! Revocations.

use crate::Session;
use insta::assert_snapshot;
use serde_json::{Value, json};

const TOKEN: &str = "6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee";
const API_SESSION: &str = "0d5be1c0-1f63-4d0a-9a55-6f0b6c9effee";

#[test]
fn tokens_sessions_and_identities_are_revoked() {
    let session = Session::logged_in();
    let table = session.run(&["revocation", "list"]).success().text();
    assert_eq!(table, "no revocations\n");
    let anna = session.json(&["identity", "create", "anna"]);
    let anna = anna["id"].as_str().unwrap();
    let upper = TOKEN.to_uppercase();
    for (kind, given, id, name) in [
        ("jti", &*upper, TOKEN, "JTI"),
        ("api-session", API_SESSION, API_SESSION, "API_SESSION"),
        ("identity", "anna", anna, "IDENTITY"),
    ] {
        let made = session.json(&["revocation", "create", kind, given]);
        assert_eq!((&made["id"], &made["type"]), (&json!(id), &json!(name)));
        assert!(made["expiresAt"].is_string(), "{made}");
        assert_eq!(session.json(&["revocation", "show", id]), made);
    }
    let by_type = ["revocation", "list", "--filter", r#"type = "IDENTITY""#];
    assert_eq!(ids(&session.json(&by_type)), [anna]);
    let all = session.run(&["revocation", "ls", "--all"]).success().text();
    for words in [anna, "token", "API session", "identity", "3 revocations"] {
        assert!(all.contains(words), "{words}: {all}");
    }
    session
        .run(&["revocation", "create", "jti", TOKEN])
        .success();
    let again = session.json(&["revocations", "list", "--all"]);
    assert_eq!(ids(&again).len(), 3, "it takes the place of the first");
}

#[test]
fn what_cannot_be_revoked_is_refused() {
    let session = Session::logged_in();
    let transcript = session.transcript(&[
        "revocation create jti nope",
        "revocation create identity nobody",
        &format!("revocation create certificate {TOKEN}"),
        "revocation create jti",
        &format!("revocation show {TOKEN}"),
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis revocation create jti nope
        error: `id`: must be a UUID
        request id: REQUEST
        [1]
        $ portcullis revocation create identity nobody
        error: no identity with id or name `nobody` exists
        hint: run `portcullis identity list` to list them
        [1]
        $ portcullis revocation create certificate 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee
        error: invalid value 'certificate' for '<KIND>'
          [possible values: jti, api-session, identity]

        For more information, try '--help'.
        [2]
        $ portcullis revocation create jti
        error: the following required arguments were not provided:
          <ID>

        Usage: portcullis revocation create <KIND> <ID>

        For more information, try '--help'.
        [2]
        $ portcullis revocation show 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): revocation with id 6f0b6c9e-1f63-4d0a-9a55-0d5be1c0ffee not found
        hint: `portcullis revocation list` shows the ids
        request id: REQUEST
        [1]
        ");
    assert!(ids(&session.json(&["revocation", "list"])).is_empty());
}

fn ids(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap();
    list.iter().map(|one| one["id"].as_str().unwrap()).collect()
}
