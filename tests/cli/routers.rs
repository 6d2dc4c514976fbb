//! Edge routers, transit routers and terminators.

use crate::Session;
use crate::lists::names;
use insta::assert_snapshot;
use portcullis_pki::{certificates_from_pem, jwt};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use support::openssl::KeyAlgorithm;
use support::tools::are_available;
use support::{Api, Openssl, Tool};

#[test]
fn edge_routers_live_from_creation_to_deletion() {
    let session = Session::logged_in();
    let create = ["edge-router", "create", "r1", "-a", "public", "--cost", "7"];
    let made = session.json(&[&create[..], &["--output-jwt", "r1.jwt"]].concat());
    assert_eq!(
        (&made["cost"], &made["isVerified"]),
        (&json!(7), &json!(false))
    );
    let id = made["id"].as_str().unwrap();
    token_proves_itself(&session, &made, "r1.jwt");
    assert_eq!(session.json(&["edge-router", "show", id]), made);
    let again = ["edge-router", "create", "r2", "--output-jwt", "r1.jwt"];
    let refused = session.run(&again).expect_code(1).stderr;
    assert!(refused.contains("r1.jwt"), "a file is kept: {refused}");
    assert_eq!(
        names(&session.json(&["edge-router", "list"])),
        ["r1"],
        "nothing was created"
    );

    let update = [
        "edge-router",
        "update",
        "r1",
        "--name",
        "edge",
        "--no-traversal",
        "true",
    ];
    let changed = session.json(&[&update[..], &["-t", "true", "--disabled", "true"]].concat());
    for (member, value) in [
        ("name", json!("edge")),
        ("noTraversal", json!(true)),
        ("isTunnelerEnabled", json!(true)),
        ("disabled", json!(true)),
        ("cost", json!(7)),
        ("roleAttributes", json!(["public"])),
    ] {
        assert_eq!(changed[member], value, "{member}");
    }
    assert_eq!(
        session.json(&["identity", "show", "edge"])["type"]["name"],
        "Router"
    );
    session.json(&[
        "edge-router",
        "update",
        "edge",
        "-t",
        "false",
        "--disabled",
        "false",
    ]);
    let by_role = session.json(&["edge-router", "list", "--role", "public"]);
    assert_eq!(names(&by_role), ["edge"]);
    let attributes = session.json(&["edge-router", "role-attributes"]);
    assert_eq!(attributes, json!(["public"]));

    re_enrolled(&session);
    let transcript = session.transcript(&[
        "edge-router create edge",
        "edge-router create x --cost 70000",
        "edge-router create x --configs nope",
        "edge-router create x --output-jwt - --output json",
        "edge-router update edge",
        "edge-router show nobody",
        "edge-router re-enroll nobody",
        "edge-router delete edge",
        "edge-router list",
    ]);
    assert_snapshot!(transcript.replace(id, "EDGE"), @r"
        $ portcullis edge-router create edge
        error: an edge router named `edge` exists already
        hint: see it with `portcullis edge-router show edge`
        request id: REQUEST
        [1]
        $ portcullis edge-router create x --cost 70000
        error: invalid value '70000' for '--cost <NUMBER>': 70000 is not in 0..=65535

        For more information, try '--help'.
        [2]
        $ portcullis edge-router create x --configs nope
        error: no configuration with id or name `nope` exists
        hint: run `portcullis config list` to list them
        [1]
        $ portcullis edge-router create x --output-jwt - --output json
        error: the token and the result cannot both go to standard output
        hint: the result already contains the token: remove `--output-jwt`
        [2]
        $ portcullis edge-router update edge
        error: nothing to change: no options were given
        hint: see `portcullis edge-router update --help`
        [2]
        $ portcullis edge-router show nobody
        error: no edge router with id or name `nobody` exists
        hint: run `portcullis edge-router list` to list them
        [1]
        $ portcullis edge-router re-enroll nobody
        error: no edge router with id or name `nobody` exists
        hint: run `portcullis edge-router list` to list them
        [1]
        $ portcullis edge-router delete edge
        deleted  EDGE  edge
        1 edge router deleted
        [0]
        $ portcullis edge-router list
        no edge routers
        [0]
        ");
}

/// The token is the router's, is kept from others, and is signed by the controller.
fn token_proves_itself(session: &Session, router: &Value, file: &str) {
    let path = session.site.file(file);
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = fs::read_to_string(path).unwrap();
    let token = token.trim();
    assert_eq!(router["enrollmentJwt"], token);
    let chain = fs::read_to_string(session.site.home().join("pki/server.chain.pem")).unwrap();
    let leaf = &certificates_from_pem(&chain).unwrap()[0];
    let claims: Value = jwt::verify(token, &leaf.public_key().unwrap()).unwrap();
    assert_eq!(
        (&claims["sub"], &claims["em"]),
        (&router["id"], &json!("erott"))
    );
    assert_eq!(claims["iss"], json!(session.controller.url()));
    assert_eq!(claims["jti"], router["enrollmentToken"]);
}

/// A router that has enrolled gives its certificate back and enrolls anew.
fn re_enrolled(session: &Session) {
    if !are_available(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let openssl = Openssl::new(session.site.work());
    let router = session.json(&["edge-router", "show", "edge"]);
    let id = router["id"].as_str().unwrap();
    let csr = openssl.csr("router", KeyAlgorithm::P256, &format!("/CN={id}"));
    let api = Api::anonymous(&session.controller);
    let enroll = |router: &Value| {
        let token = router["enrollmentToken"].as_str().unwrap();
        let path = format!("/edge/client/v1/enroll?method=erott&token={token}");
        let body = json!({"certCsr": csr, "serverCertCsr": csr});
        api.curl(&path).json("POST", &body).send()
    };
    let _ = enroll(&router).expect_status(200);
    let enrolled = session.json(&["edge-router", "show", "edge"]);
    assert_eq!(enrolled["isVerified"], true);
    let no_token = ["edge-router", "show", "edge", "--output-jwt", "none.jwt"];
    let refused = session.run(&no_token).expect_code(1).stderr;
    assert!(
        refused.contains("portcullis edge-router re-enroll"),
        "{refused}"
    );
    assert!(!session.site.file("none.jwt").exists());

    let re_enroll = [
        "edge-router",
        "re-enroll",
        "edge",
        "--output-jwt",
        "again.jwt",
    ];
    let reset = session.json(&re_enroll);
    assert_eq!(
        (&reset["isVerified"], &reset["id"]),
        (&json!(false), &router["id"])
    );
    assert_ne!(reset["enrollmentToken"], router["enrollmentToken"]);
    token_proves_itself(session, &reset, "again.jwt");
    let _ = enroll(&reset).expect_status(200);
}

#[test]
fn transit_routers_and_terminators_live_from_creation_to_deletion() {
    let session = Session::logged_in();
    let create = ["transit-router", "create", "t1", "--cost", "9"];
    let made = session.json(&[&create[..], &["--output-jwt", "t1.jwt"]].concat());
    assert_eq!(made["cost"], 9);
    assert_eq!(
        made["enrollmentJwt"],
        fs::read_to_string(session.site.file("t1.jwt"))
            .unwrap()
            .trim()
    );
    let id = made["id"].as_str().unwrap();
    assert_eq!(session.json(&["transit-router", "show", id]), made);
    let update = ["transit-router", "update", "t1", "--name", "transit"];
    let changed = session.json(&[&update[..], &["--no-traversal", "true"]].concat());
    assert_eq!(
        (&changed["name"], &changed["noTraversal"]),
        (&json!("transit"), &json!(true))
    );
    session.json(&["edge-router", "create", "r1"]);
    let all = session.json(&["transit-router", "list", "--sort", "name"]);
    assert_eq!(names(&all), ["r1", "transit"]);

    terminators(&session);
    session.json(&["service", "create", "wiki"]);
    let transcript = session.transcript(&[
        "transit-router create r1",
        "transit-router update transit",
        "transit-router update r1 --cost 1",
        "terminator create nope r1 tcp:a:1",
        "terminator create wiki nope tcp:a:1",
        "terminator create wiki r1 ' '",
        "terminator create wiki r1 tcp:a:1 --cost -1",
        "terminator create wiki r1 tcp:a:1 -p best",
        "terminator show nobody",
        "terminator update nobody",
        "terminator update nobody --cost 1",
        "terminator list --service nope",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis transit-router create r1
        error: a router named `r1` exists already
        hint: see it with `portcullis transit-router show r1`
        request id: REQUEST
        [1]
        $ portcullis transit-router update transit
        error: nothing to change: no options were given
        hint: see `portcullis transit-router update --help`
        [2]
        $ portcullis transit-router update r1 --cost 1
        error: the controller refused: The router cannot be updated this way; use the API for its kind of router (CAN_NOT_UPDATE_ROUTER): this is an edge router; use the edge-routers API to change it
        request id: REQUEST
        [1]
        $ portcullis terminator create nope r1 tcp:a:1
        error: no service with id or name `nope` exists
        hint: run `portcullis service list` to list them
        [1]
        $ portcullis terminator create wiki nope tcp:a:1
        error: no router with id or name `nope` exists
        hint: run `portcullis transit-router list` to list them
        hint: edge routers are listed by `portcullis edge-router list`
        [1]
        $ portcullis terminator create wiki r1 ' '
        error: invalid value ' ' for '<ADDRESS>': must not be empty

        For more information, try '--help'.
        [2]
        $ portcullis terminator create wiki r1 tcp:a:1 --cost -1
        error: invalid value '-1' for '--cost <NUMBER>': -1 is not in 0..=65535

        For more information, try '--help'.
        [2]
        $ portcullis terminator create wiki r1 tcp:a:1 -p best
        error: invalid value 'best' for '--precedence <PRECEDENCE>'
          [possible values: default, required, failed]

        For more information, try '--help'.
        [2]
        $ portcullis terminator show nobody
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): terminator with id nobody not found
        hint: `portcullis terminator list` shows the ids
        request id: REQUEST
        [1]
        $ portcullis terminator update nobody
        error: nothing to change: no options were given
        hint: see `portcullis terminator update --help`
        [2]
        $ portcullis terminator update nobody --cost 1
        error: the controller refused: Nothing was found under this path or id (NOT_FOUND): terminator with id nobody not found
        hint: `portcullis terminator list` shows the ids
        request id: REQUEST
        [1]
        $ portcullis terminator list --service nope
        error: no service with id or name `nope` exists
        hint: run `portcullis service list` to list them
        [1]
        ");
    session
        .run(&["transit-router", "delete", "transit"])
        .success();
    session
        .run(&["transit-router", "show", "transit"])
        .expect_code(1);
}

fn terminators(session: &Session) {
    session.json(&["service", "create", "wiki"]);
    let create = [
        "terminator",
        "create",
        "wiki",
        "r1",
        "tcp:localhost:8080",
        "--cost",
        "5",
    ];
    let instance = ["--identity", "one", "--identity-secret-file", "one.secret"];
    fs::write(session.site.file("one.secret"), "hush\n").unwrap();
    let made = session.json(&[&create[..], &["-p", "required"], &instance].concat());
    for (member, value) in [
        ("/service/name", "wiki"),
        ("/router/name", "r1"),
        ("/address", "tcp:localhost:8080"),
        ("/binding", "edge_transport"),
        ("/identity", "one"),
        ("/precedence", "required"),
    ] {
        assert_eq!(made.pointer(member), Some(&json!(value)), "{member}");
    }
    // Another terminator of the instance has to have its secret.
    let without = [&create[..], &["--identity", "one"]].concat();
    let refused = session.run(&without).expect_code(1).stderr;
    assert!(refused.contains("identitySecret"), "{refused}");
    let other = session.json(&[&create[..], &instance].concat());
    let other = other["id"].as_str().unwrap();
    session.run(&["terminator", "delete", other]).success();
    let id = made["id"].as_str().unwrap();
    assert_eq!(session.json(&["terminator", "show", id]), made);
    let update = [
        "terminator",
        "update",
        id,
        "--router",
        "transit",
        "--cost",
        "6",
    ];
    let changed = session.json(&update);
    assert_eq!(
        (&changed["router"]["name"], &changed["cost"]),
        (&json!("transit"), &json!(6))
    );
    assert_eq!(changed["precedence"], "required");
    session.json(&["terminator", "create", "wiki", "r1", "tcp:localhost:8081"]);
    session.json(&["service", "create", "other"]);
    let of = |service: &str| session.json(&["terminator", "list", "--service", service]);
    assert_eq!(of("wiki").as_array().unwrap().len(), 2);
    assert_eq!(of("other"), json!([]));
    session.run(&["terminator", "delete", id]).success();
    assert_eq!(of("wiki")[0]["address"], "tcp:localhost:8081");
    session.run(&["service", "delete", "wiki"]).success();
    assert_eq!(session.json(&["terminator", "list"]), json!([]));
}
