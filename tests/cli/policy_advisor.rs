//! What the advisor says between an identity and a service, as policies come.

use crate::Session;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn each_thing_that_is_missing_is_told_in_words() {
    let session = Session::logged_in();
    session.json(&["identity", "create", "anna"]);
    session.json(&["service", "create", "wiki"]);
    for router in ["r1", "r2"] {
        session.json(&["edge-router", "create", router, "-a", router]);
    }
    let transcript = session.transcript(&[
        "policy-advisor identities anna",
        "policy-advisor services wiki",
        "policy-advisor identities anna wiki",
        "policy-advisor identities nobody",
        "policy-advisor services nobody",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis policy-advisor identities anna
        IDENTITY  SERVICE  ALLOWED  WORKS  WHY NOT
        anna               nothing  no     no service policy lets the identity dial or bind anything
        1 checked, 1 not working
        [0]
        $ portcullis policy-advisor services wiki
        IDENTITY  SERVICE  ALLOWED  WORKS  WHY NOT
                  wiki     nothing  no     no service policy lets any identity dial or bind the service
        1 checked, 1 not working
        [0]
        $ portcullis policy-advisor identities anna wiki
        identity:                      anna
        service:                       wiki
        dial allowed:                  no
        bind allowed:                  no
        edge routers of the identity:  0
        edge routers of the service:   0
        `anna` may neither dial nor bind `wiki`.
        - no service policy lets the identity dial or bind the service; see `portcullis service-policy --help`
        - no edge-router policy gives the identity an edge router; see `portcullis edge-router-policy --help`
        - no service-edge-router policy gives the service an edge router; see `portcullis service-edge-router-policy --help`
        [0]
        $ portcullis policy-advisor identities nobody
        error: no identity with id or name `nobody` exists
        hint: run `portcullis identity list` to list them
        [1]
        $ portcullis policy-advisor services nobody
        error: no service with id or name `nobody` exists
        hint: run `portcullis service list` to list them
        [1]
        ");

    let create = |noun: &str, more: &[&str]| session.json(&[&[noun, "create", "p"], more].concat());
    let both = ["--identity-roles", "@anna", "--service-roles", "@wiki"];
    told(
        &session,
        "may neither dial nor bind",
        "no service policy lets the identity dial or bind the",
    );
    create("service-policy", &[&["dial"], &both[..]].concat());
    let no_router = "no edge-router policy gives the identity an edge router";
    told(&session, "`anna` may dial `wiki`, but cannot", no_router);
    create(
        "edge-router-policy",
        &["--identity-roles", "@anna", "--edge-router-roles", "#r1"],
    );
    let no_router = "no service-edge-router policy gives the service an edge router";
    told(&session, "`anna` may dial `wiki`, but cannot", no_router);
    create(
        "service-edge-router-policy",
        &["--service-roles", "#all", "--edge-router-roles", "#r2"],
    );
    let apart =
        "the identity may use 1 edge router, the service 1 edge router, with none in common";
    told(&session, "`anna` may dial `wiki`, but cannot", apart);
    let update = [
        "service-edge-router-policy",
        "update",
        "p",
        "--edge-router-roles",
        "@r1",
    ];
    session.json(&update);
    let offline = "no edge router that both may use is online: r1";
    told(&session, "`anna` may dial `wiki`, but cannot", offline);

    let pair = ["policy-advisor", "services", "wiki", "anna"];
    let document = session.json(&pair);
    assert_eq!(document["problems"], json!([offline]));
    assert_eq!(document["commonRouters"][0]["name"], "r1");
    assert_eq!(
        (
            &document["isDialAllowed"],
            &document["isBindAllowed"],
            &document["works"]
        ),
        (&json!(true), &json!(false), &json!(false))
    );
    let sweep = session.json(&["policy-advisor", "services", "--quiet"]);
    assert_eq!(sweep[0]["problems"], json!([offline]));
}

#[test]
fn posture_checks_before_the_access_are_named() {
    let session = Session::logged_in();
    for line in [
        "identity create anna",
        "service create wiki",
        "posture-check create mfa code",
        "posture-check create os linux --os Linux",
        "service-policy create p dial --identity-roles @anna --service-roles @wiki -p @code,@linux",
    ] {
        session.run(&line.split(' ').collect::<Vec<_>>()).success();
    }
    let checks = "- to dial, a session has to pass the posture checks `code` and `linux` of the service \
                  policy `p`; see `portcullis posture-check list`";
    told(&session, "`anna` may dial `wiki`, but cannot", checks);
    let pair = ["policy-advisor", "identities", "anna", "wiki"];
    let guarded = &session.json(&pair)["guardedBy"];
    assert_eq!(guarded[0]["name"], "p");
    assert_eq!(guarded[0]["grants"], "Dial");
    assert_eq!(guarded[0]["checks"].as_array().unwrap().len(), 2);

    // Another policy lets in everybody.
    let create = "service-policy create q dial --identity-roles @anna --service-roles @wiki";
    session
        .run(&create.split(' ').collect::<Vec<_>>())
        .success();
    let text = session.run(&pair).success().text();
    assert!(!text.contains("posture"), "{text}");
    assert_eq!(session.json(&pair)["guardedBy"], json!([]));
}

/// Both sides say the same about the two.
#[track_caller]
fn told(session: &Session, sentence: &str, why: &str) {
    for line in [
        ["policy-advisor", "identities", "anna", "wiki"],
        ["policy-advisor", "services", "wiki", "anna"],
    ] {
        let text = session.run(&line).success().text();
        assert!(
            text.contains(sentence) && text.contains(why),
            "{line:?}: {text}"
        );
    }
}
