//! Authentication policies: made, changed, in use, gone.

use crate::Session;
use insta::assert_snapshot;
use serde_json::json;
use std::fs;

#[test]
fn policy_lives_from_creation_to_deletion() {
    let session = Session::logged_in();
    let create = ["auth-policy", "create", "staff", "--updb", "deny"];
    let staff = session.json(&[&create[..], &["--expired-certs", "deny"]].concat());
    let default = session.json(&["auth-policy", "show", "default"]);
    let mut expected = default["primary"].clone();
    expected["updb"]["allowed"] = json!(false);
    expected["cert"]["allowExpiredCerts"] = json!(false);
    assert_eq!(staff["primary"], expected, "the rest is as by default");
    assert_eq!(staff["secondary"], default["secondary"]);

    let update = ["--name", "people", "--updb", "allow", "--require-totp"];
    let people = ["auth-policy", "update", "staff"];
    let people = session.json(&[&people[..], &update, &["true"]].concat());
    assert_eq!(people["name"], "people");
    assert_eq!(people["primary"]["updb"]["allowed"], true);
    assert_eq!(people["primary"]["cert"]["allowExpiredCerts"], false);
    assert_eq!(people["secondary"]["requireTotp"], true);
    let by_id = session.json(&["auth-policy", "show", staff["id"].as_str().unwrap()]);
    assert_eq!(by_id, people);

    let create = ["identity", "create", "anna", "--auth-policy", "people"];
    let anna = session.json(&create);
    assert_eq!(anna["authPolicyId"], staff["id"]);
    let delete = ["auth-policy", "delete", "people"];
    let refused = session.run(&delete).expect_code(1).stderr;
    assert!(
        refused.contains("the auth policy is still used by the identity"),
        "{refused}"
    );
    session.run(&["identity", "delete", "anna"]).success();
    session.run(&delete).success();
    session
        .run(&["auth-policy", "show", "people"])
        .expect_code(1);
    let default = session.run(&["auth-policy", "delete", "default"]);
    default.expect_code(1);
}

#[test]
fn arguments_are_laid_over_a_file() {
    let session = Session::logged_in();
    let rules = json!({
        "name": "in the file",
        "primary": {"updb": {"minPasswordLength": 12, "maxAttempts": 3}},
        "secondary": {"requireTotp": true},
    });
    fs::write(session.site.file("rules.json"), rules.to_string()).unwrap();
    let create = ["auth-policy", "create", "strict", "--from", "rules.json"];
    let strict = session.json(&[&create[..], &["--max-attempts", "5"]].concat());
    assert_eq!(strict["name"], "strict");
    assert_eq!(strict["primary"]["updb"]["minPasswordLength"], 12);
    assert_eq!(strict["primary"]["updb"]["maxAttempts"], 5);
    assert_eq!(strict["primary"]["cert"]["allowed"], true);
    assert_eq!(strict["secondary"]["requireTotp"], true);

    // What is shown can be given back.
    fs::write(session.site.file("shown.json"), strict.to_string()).unwrap();
    let create = ["auth-policy", "create", "copy", "--from", "shown.json"];
    let copy = session.json(&create);
    assert_eq!(copy["name"], "copy");
    assert_eq!(copy["primary"], strict["primary"]);
    let update = ["auth-policy", "update", "copy", "--from", "rules.json"];
    assert_eq!(session.json(&update)["name"], "in the file");
}

#[test]
fn policies_that_make_no_sense_are_refused() {
    let session = Session::logged_in();
    for (name, rules) in [
        ("odd", json!({"primary": 1})),
        ("unknown", json!({"primary": {"updb": {"minLength": 9}}})),
        (
            "secondary",
            json!({"tags": {"a": {"b": 1}}, "secondary": {"totp": true}}),
        ),
        (
            "short",
            json!({"primary": {"updb": {"minPasswordLength": 3}}}),
        ),
    ] {
        let file = session.site.file(&format!("{name}.json"));
        fs::write(file, rules.to_string()).unwrap();
    }
    let transcript = session.transcript(&[
        "auth-policy create ' '",
        "auth-policy create x --min-password-length 101",
        "auth-policy create x --min-password-length -3",
        "auth-policy create x --require-ext-jwt idp,bad",
        "auth-policy create x --from odd.json",
        "auth-policy create x --from unknown.json",
        "auth-policy create x --from secondary.json",
        "auth-policy update default --from short.json",
        "auth-policy create x --from missing.json",
        "auth-policy create Default",
        "auth-policy update default",
        "auth-policy update default --name ' '",
        "auth-policy update nobody --updb deny",
        "auth-policy list",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis auth-policy create ' '
        error: these settings conflict: name: must not be blank
        [2]
        $ portcullis auth-policy create x --min-password-length 101
        error: invalid value '101' for '--min-password-length <NUMBER>': 101 is not in 5..=100

        For more information, try '--help'.
        [2]
        $ portcullis auth-policy create x --min-password-length -3
        error: invalid value '-3' for '--min-password-length <NUMBER>': -3 is not in 5..=100

        For more information, try '--help'.
        [2]
        $ portcullis auth-policy create x --require-ext-jwt idp,bad
        error: invalid value 'idp,bad' for '--require-ext-jwt <SIGNER>': give one signer, or an empty value for none

        For more information, try '--help'.
        [2]
        $ portcullis auth-policy create x --from odd.json
        error: odd.json is invalid: primary must be an object, not a number
        [2]
        $ portcullis auth-policy create x --from unknown.json
        error: unknown.json: unknown key `primary.updb.minLength`
        [2]
        $ portcullis auth-policy create x --from secondary.json
        error: secondary.json: unknown key `secondary.totp`
        [2]
        $ portcullis auth-policy update default --from short.json
        error: primary.updb.minPasswordLength: must be at least 5
        [2]
        $ portcullis auth-policy create x --from missing.json
        error: missing.json cannot be read: it does not exist
        [1]
        $ portcullis auth-policy create Default
        error: an authentication policy named `Default` exists already
        hint: see it with `portcullis auth-policy show Default`
        request id: REQUEST
        [1]
        $ portcullis auth-policy update default
        error: nothing to change: no options were given
        hint: see `portcullis auth-policy update --help`
        [2]
        $ portcullis auth-policy update default --name ' '
        error: `name`: must not be blank
        request id: REQUEST
        [1]
        $ portcullis auth-policy update nobody --updb deny
        error: no authentication policy with id or name `nobody` exists
        hint: run `portcullis auth-policy list` to list them
        [1]
        $ portcullis auth-policy list
        NAME     CERTIFICATE  PASSWORD  JWT  TOTP  ID
        Default  yes          yes       yes        default
        1 authentication policy
        [0]
        ");
}
