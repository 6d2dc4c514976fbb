//! HEAD and OPTIONS on the wire.

use crate::tunnel;
use serde_json::json;
use support::api::MANAGEMENT;
use support::tools::are_there;
use support::{Api, Controller, Curl, Openssl, Reply, Site, Tool};

/// What differs between any two answers, or comes with a body alone.
const OTHERWISE: [&str; 3] = ["date", "transfer-encoding", "expires-at"];

/// The headers of an answer, in order.
fn headers(reply: &Reply) -> Vec<(String, String)> {
    let kept = |(name, _): &&(String, String)| !OTHERWISE.contains(&name.as_str());
    let mut headers: Vec<_> = reply.headers.iter().filter(kept).cloned().collect();
    headers.sort();
    headers
}

/// A request over HTTP/2, which the controller takes only when nothing else is offered.
fn over_http2(site: &Site, controller: &Controller, path: &str, token: &str) -> Curl {
    let mut client = Openssl::new(site.work()).command();
    client
        .args(["s_client", "-quiet", "-alpn", "h2", "-verify_return_error"])
        .args(["-connect", controller.host_port(), "-CAfile"])
        .arg(controller.ca());
    let address = tunnel::open(client);
    Curl::bare(&format!("http://{address}{path}"))
        .argument("--http2-prior-knowledge")
        .session(token)
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    if !are_there(&[Tool::Curl, Tool::Openssl]) {
        return;
    }
    let site = Site::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    // Enough for a list that is sent while it is written.
    for number in 0..8 {
        let tags = json!({"wide": "w".repeat(256 << 10)});
        let body = json!({"name": format!("n{number}"), "type": "Default", "isAdmin": false,
                          "tags": tags});
        admin.send("POST", "/identities", &body).expect(201);
    }
    for (path, status) in [
        ("/version", 200),
        ("/identities?limit=500", 200),
        ("/identities?limit=1", 200),
        ("/identities/nope", 404),
        ("/nothing", 404),
        ("/identities?filter=nonsense", 400),
    ] {
        let path = format!("{MANAGEMENT}{path}");
        let first = || admin.curl(&path).argument("--http1.1");
        let second = || over_http2(&site, &controller, &path, admin.token());
        for (version, get, head) in [("1.1", first(), first()), ("2", second(), second())] {
            let (get, head) = (get.send(), head.argument("--head").send());
            assert_eq!((get.status, head.status), (status, status), "{path}");
            assert_eq!(head.version, version, "{path}");
            assert_eq!(headers(&head), headers(&get), "{path} over {version}");
        }
        // A body would stand where the next answer is expected.
        let twice = first().argument("--head");
        let twice = twice.argument(format!("{}{path}", controller.url()));
        let outcome = twice.arguments(["--write-out", "<%{size_download} %{num_connects}>"]);
        let text = outcome.finish().success().text();
        assert!(
            text.contains("<0 1>") && text.ends_with("<0 0>"),
            "{path}: {text}"
        );
    }
}

#[test]
fn options_are_answered_empty() {
    if !are_there(&[Tool::Curl]) {
        return;
    }
    let site = Site::new();
    let controller = site.quickstart().start();
    let anybody = Api::anonymous(&controller);
    let options = || {
        let curl = anybody.curl(&format!("{MANAGEMENT}/identities"));
        curl.arguments(["--request", "OPTIONS"])
    };
    let plain = options().send();
    assert_eq!((plain.status, plain.body.len()), (200, 0));
    let asked = options()
        .header("origin: https://console.example.test")
        .header("access-control-request-method: PATCH")
        .send();
    assert_eq!((asked.status, asked.body.len()), (200, 0));
    assert_eq!(asked.header("access-control-allow-origin"), Some("*"));
    assert_eq!(asked.header("access-control-allow-methods"), Some("PATCH"));
}
