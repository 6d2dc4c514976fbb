//! HEAD: what GET answers, without the body.

use http::{HeaderMap, Method, header};
use portcullis_http::path::Api;
use portcullis_testkit::Harness;

/// The headers that two answers have in common.
fn comparable(mut headers: HeaderMap) -> HeaderMap {
    // Whoever writes the answer to the wire adds it to one with a body.
    headers.remove(header::CONTENT_LENGTH);
    headers
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let routes = controller.table().routes().iter();
    let mut seen = 0;
    for route in routes.filter(|route| route.method == Method::GET) {
        for api in route.apis.iter().filter(|api| **api != Api::Fabric) {
            let path = route.path.replace("{id}", "nope").replace("{*path}", "x");
            let path = format!("{}{path}", api.base());
            for token in [Some(&admin), None] {
                let ask = async |method: Method| {
                    let request = controller.request(method, &path);
                    match token {
                        Some(token) => request.session(token).send().await,
                        None => request.send().await,
                    }
                };
                let get = ask(Method::GET).await;
                let head = ask(Method::HEAD).await;
                assert_eq!(head.status, get.status, "{path}");
                assert!(head.body.is_empty(), "{path}: {}", head.text());
                let length = head.headers[header::CONTENT_LENGTH].to_str().unwrap();
                // Ids of requests, which errors show, are of one length.
                assert_eq!(length, get.body.len().to_string(), "{path}");
                assert_eq!(comparable(head.headers), comparable(get.headers), "{path}");
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen}");
}

#[tokio::test]
async fn head_has_the_length_of_what_would_be_packed() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let ask = async |method: Method| {
        let request = controller.manage(method, "/config-types", &admin);
        request.header("accept-encoding", "gzip").send().await
    };
    let (get, head) = (ask(Method::GET).await, ask(Method::HEAD).await);
    assert_eq!(head.headers["content-encoding"], "gzip");
    assert_eq!(
        head.headers["content-length"].to_str().unwrap(),
        get.body.len().to_string()
    );
    assert!(head.body.is_empty());
}

#[tokio::test]
async fn head_of_what_cannot_be_got_names_what_can_be_done() {
    let controller = Harness::start().await;
    let head = controller
        .request(Method::HEAD, "/edge/client/v1/enroll/ott")
        .send()
        .await;
    assert_eq!(head.status, 405);
    assert_eq!(head.headers["allow"], "POST");
    assert!(head.body.is_empty());
}
