//! What the advisor says between an identity and a service, as policies come.

use crate::Session;
use serde_json::json;

#[test]
fn each_thing_that_is_missing_is_told_in_words() {
    let session = Session::logged_in();
    session.json(&["identity", "create", "anna"]);
    session.json(&["service", "create", "wiki"]);
    for router in ["r1", "r2"] {
        session.json(&["edge-router", "create", router, "-a", router]);
    }
    let nobody = session
        .run(&["policy-advisor", "identities", "anna"])
        .success()
        .text();
    assert!(
        nobody.contains("no service policy lets the identity dial or bind anything"),
        "{nobody}"
    );
    let nobody = session
        .run(&["policy-advisor", "services", "wiki"])
        .success()
        .text();
    assert!(
        nobody.contains("no service policy lets any identity dial or bind the service"),
        "{nobody}"
    );

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
    assert_eq!(sweep["data"][0]["problems"], json!([offline]));
    for arguments in [["identities", "nobody"], ["services", "nobody"]] {
        let line = [&["policy-advisor"], &arguments[..]].concat();
        let refused = session.run(&line).expect_code(1).stderr;
        assert!(refused.contains("exists"), "{refused}");
    }
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
