//! What monitors are told about a controller.

use http::Method;
use portcullis_testkit::Harness;
use serde_json::json;

#[tokio::test]
async fn monitors_hear_that_the_controller_works_under_every_path_that_is_theirs() {
    let controller = Harness::start().await;
    for path in [
        "/health-checks",
        "/health-checks/",
        "/health-checks/v1",
        "/health-checks/v1/controller",
        "/health-checks?type=short&status=code",
    ] {
        let request = controller.request(Method::GET, path);
        let reply = request.header("accept", "text/html").send().await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_eq!(reply.headers["content-type"], "application/json");
        assert!(
            reply
                .text()
                .starts_with("{\n    \"data\": {\n        \"checks\": [")
        );
        assert_eq!(reply.json()["meta"], json!({}));
        let data = reply.data();
        assert_eq!(data["healthy"], true, "{path}");
        let is_short = path.contains("short");
        for (check, id) in data["checks"]
            .as_array()
            .unwrap()
            .iter()
            .zip(["bolt.read", "store.write"])
        {
            assert_eq!(
                (&check["id"], &check["healthy"]),
                (&json!(id), &json!(true))
            );
            for member in ["lastCheckDuration", "lastCheckTime"] {
                assert_eq!(check.get(member).is_none(), is_short, "{path} {member}");
            }
        }
    }
}

#[tokio::test]
async fn monitors_only_look() {
    let controller = Harness::start().await;
    let reply = controller
        .request(Method::HEAD, "/health-checks")
        .send()
        .await;
    assert_eq!(reply.status, 200);
    let reply = controller
        .request(Method::POST, "/health-checks")
        .send()
        .await;
    assert_eq!(reply.error(), (405, "METHOD_NOT_ALLOWED".to_owned()));
}

#[tokio::test]
async fn an_old_or_unknown_session_disturbs_no_monitor() {
    let controller = Harness::start().await;
    let request = controller.request(Method::GET, "/health-checks");
    assert_eq!(
        request.session("no-token-of-anybody").send().await.status,
        200
    );
}
