//! What every answer has: type, escaping, headers, compression, what browsers need.

use crate::support::{create, get};
use flate2::read::GzDecoder;
use http::Method;
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read as _;

#[tokio::test]
async fn json_is_safe_inside_of_html() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let name = "a<b>&c\u{2028}\u{2029}\r\n\u{1b}[31m${jndi:ldap://x}\u{e4}";
    let id = create(&controller, &admin, name, json!({"tags": {"<k>": "&v"}})).await;
    let shown = get(&controller, &admin, &format!("/identities/{id}")).await;
    assert_eq!(shown.data()["name"], name, "it comes back as it went in");
    assert_eq!(shown.data()["tags"], json!({"<k>": "&v"}));
    let refused = controller.manage(Method::POST, "/identities", &admin);
    let refused = refused
        .json(&json!({"name": name, "isAdmin": false}))
        .send()
        .await;
    assert_eq!(refused.error(), (400, "COULD_NOT_VALIDATE".to_owned()));
    let missing = controller.manage(Method::POST, "/identities", &admin);
    let missing = missing.json(&json!({"name": "x"})).send().await;
    assert!(
        missing.text().contains(r#""\u003cnil\u003e""#),
        "{}",
        missing.text()
    );
    for reply in [shown, refused, missing] {
        let text = reply.text();
        for raw in ['<', '>', '&', '\u{2028}', '\u{1b}', '\r'] {
            assert!(!text.contains(raw), "{raw:?} in {text}");
        }
    }
}

#[tokio::test]
async fn every_answer_has_the_same_headers() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut instances = BTreeSet::new();
    let mut requests = BTreeSet::new();
    for (method, path) in [
        (Method::GET, "/version"),
        (Method::GET, "/identities"),
        (Method::GET, "/identities/nope"),
        (Method::GET, "/nothing"),
        (Method::POST, "/identities"),
        (Method::PATCH, "/identities"),
        (Method::GET, "/.well-known/est/cacerts"),
    ] {
        let reply = controller.manage(method.clone(), path, &admin).send().await;
        let server = reply.headers["server"].to_str().unwrap();
        assert!(server.starts_with("ziti-controller/"), "{server}");
        instances.insert(
            reply.headers["ziti-instance-id"]
                .clone()
                .to_str()
                .unwrap()
                .to_owned(),
        );
        let media_type = &reply.headers["content-type"];
        let is_bundle = path.ends_with("cacerts");
        let expected = if is_bundle {
            "application/pkcs7-mime"
        } else {
            "application/json"
        };
        assert_eq!(media_type, expected, "{method} {path}: no parameters");
        for absent in [
            "set-cookie",
            "etag",
            "last-modified",
            "cache-control",
            "vary",
            "access-control-allow-origin",
            "content-encoding",
        ] {
            assert!(!reply.headers.contains_key(absent), "{path}: {absent}");
        }
        if !reply.status.is_success() {
            requests.insert(
                reply.json()["error"]["requestId"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            );
        }
    }
    assert_eq!(instances.len(), 1);
    assert_eq!(requests.len(), 4, "each request has an id of its own");
}

#[tokio::test]
async fn bundle_is_base64_of_pkcs7_in_lines() {
    let controller = Harness::start().await;
    for path in [
        "/.well-known/est/cacerts",
        "/edge/management/v1/.well-known/est/cacerts",
    ] {
        let reply = controller.request(Method::GET, path).send().await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.headers["content-transfer-encoding"], "base64");
        let text = reply.text();
        assert!(!text.ends_with('\n') && !text.contains("-----"));
        let lines: Vec<_> = text.lines().collect();
        let (last, full) = lines.split_last().unwrap();
        assert!(full.iter().all(|line| line.len() == 64) && last.len() <= 64);
        // SEQUENCE of more than 255 bytes, as every SignedData with two certificates is.
        assert!(text.starts_with("MII"), "{}", &text[..8]);
    }
}

#[tokio::test]
async fn answers_are_compressed_on_demand() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let ask = |accepted: &'static str| {
        let request = controller.manage(Method::GET, "/identities", &admin);
        request.header("accept-encoding", accepted).send()
    };
    let plain = ask("identity").await;
    assert!(!plain.headers.contains_key("content-encoding"));
    for accepted in ["gzip", "gzip, deflate, br", "br;q=0.1, GZIP;q=0.5"] {
        let reply = ask(accepted).await;
        assert_eq!(reply.headers["content-encoding"], "gzip", "{accepted}");
        assert_eq!(reply.headers["content-type"], "application/json");
        let mut text = String::new();
        GzDecoder::new(&*reply.body)
            .read_to_string(&mut text)
            .unwrap();
        let data: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(data["data"], plain.data(), "{accepted}");
    }
    assert!(
        !ask("gzip;q=0")
            .await
            .headers
            .contains_key("content-encoding")
    );
    // A refusal is compressed too, and keeps its status.
    let refused = controller.request(Method::GET, "/current-identity");
    let refused = refused.header("accept-encoding", "gzip").send().await;
    assert_eq!(refused.status, 401);
    assert_eq!(refused.headers["content-encoding"], "gzip");
    // A body that claims to be compressed is not decompressed.
    let bomb = controller.manage(Method::POST, "/identities", &admin);
    let bomb = bomb
        .header("content-encoding", "gzip")
        .bytes("application/json", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    assert_eq!(
        bomb.send().await.error(),
        (400, "COULD_NOT_PARSE_BODY".to_owned())
    );
}

fn cors(reply: &Reply) -> Vec<(String, String)> {
    let mut headers: Vec<_> = reply
        .headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("access-control-"))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    headers
}

#[tokio::test]
async fn browsers_are_let_in() {
    const ORIGIN: (&str, &str) = ("origin", "https://console.example.test");
    const METHOD: &str = "access-control-request-method";
    const HEADERS: &str = "access-control-request-headers";
    let allowed = [
        ("access-control-allow-credentials", "true"),
        ("access-control-allow-origin", "*"),
    ];
    let with = |more: &[(&str, &str)]| {
        let mut all: Vec<_> = allowed
            .iter()
            .chain(more)
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        all.sort();
        all
    };
    let controller = Harness::start().await;
    for path in [
        "/version",
        "/edge/management/v1/identities",
        "/fabric/v1/routers",
        "/oidc/login",
        "/no/such/path",
    ] {
        for (headers, status, expected) in [
            (&[][..], 200, Vec::new()),
            (&[ORIGIN], 400, Vec::new()),
            (&[ORIGIN, (METHOD, "TRACE")], 405, Vec::new()),
            (
                &[ORIGIN, (METHOD, "POST"), (HEADERS, "x-other")],
                403,
                Vec::new(),
            ),
            (
                &[ORIGIN, (METHOD, "PUT")],
                200,
                with(&[("access-control-allow-methods", "PUT")]),
            ),
            (
                &[
                    ORIGIN,
                    (METHOD, "POST"),
                    (HEADERS, "content-type,zt-session"),
                ],
                200,
                with(&[("access-control-allow-headers", "Content-Type,Zt-Session")]),
            ),
            (
                &[ORIGIN, (METHOD, "DELETE"), (HEADERS, "mfa-validation-code")],
                200,
                with(&[
                    ("access-control-allow-headers", "Mfa-Validation-Code"),
                    ("access-control-allow-methods", "DELETE"),
                ]),
            ),
            (
                &[ORIGIN, (METHOD, "GET"), (HEADERS, "accept")],
                200,
                with(&[]),
            ),
        ] {
            let mut request = controller.request(Method::OPTIONS, path);
            for (name, value) in headers {
                request = request.header(name, value);
            }
            let reply = request.send().await;
            assert_eq!(reply.status, status, "{path} {headers:?}");
            assert!(reply.body.is_empty(), "{path} {headers:?}");
            assert_eq!(cors(&reply), expected, "{path} {headers:?}");
        }
        let reply = controller
            .request(Method::GET, path)
            .header(ORIGIN.0, ORIGIN.1);
        assert_eq!(cors(&reply.send().await), with(&[]), "{path}: errors too");
    }
}

#[tokio::test]
async fn version_says_what_there_is() {
    let controller = Harness::start().await;
    let root = controller.request(Method::GET, "/").send().await.data();
    let version = controller
        .request(Method::GET, "/version")
        .send()
        .await
        .data();
    assert_eq!(root, version);
    assert_eq!(version["version"], "v2.1.0");
    assert!(
        version["buildInfo"]
            .as_str()
            .unwrap()
            .contains("Portcullis")
    );
    for (group, path) in [
        ("edge", "/edge/client/v1"),
        ("edge-client", "/edge/client/v1"),
        ("edge-management", "/edge/management/v1"),
    ] {
        let offer = &version["apiVersions"][group]["v1"];
        assert_eq!(offer["path"], path, "{group}");
        let urls = offer["apiBaseUrls"].as_array().unwrap();
        assert_eq!(
            urls,
            &[json!(format!("https://ctrl.example.test:1280{path}"))],
            "{group}"
        );
    }
    let capabilities: BTreeSet<_> = version["capabilities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    assert_eq!(capabilities, ["OIDC_AUTH", "OIDC_AUTH_WITH_CSR"].into());
}
