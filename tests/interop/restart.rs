//! Ends and starts: what is kept, and who may start.

use serde_json::json;
use std::fs;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool};

#[test]
fn second_start_continues_with_what_is_there() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let (url, password) = (controller.url().to_owned(), controller.password());
    let authorities = fs::read(controller.ca()).unwrap();
    let admin = Api::admin(&controller);
    let identity = admin.create_identity("laptop", &json!({"ott": true}));
    let path = format!("/identities/{}", identity["id"].as_str().unwrap());
    // What every controller has was made with the store; what is deleted of it stays deleted.
    let made = |admin: &Api, kind: &str| admin.get(kind).data()[0]["createdAt"].clone();
    let own = ["/controllers", "/identity-types", "/posture-check-types"];
    let founded = own.map(|kind| made(&admin, kind));
    admin.delete("/config-types/proxy.v1").expect_status(200);
    assert!(
        controller.terminate().success(),
        "SIGTERM is an ordinary end"
    );

    let controller = site.quickstart().start();
    assert_eq!(
        controller.url(),
        url,
        "enrolled clients know no other address"
    );
    assert_eq!(fs::read(controller.ca()).unwrap(), authorities);
    assert_eq!(controller.password(), password);
    assert!(
        !controller.printed().contains(&password),
        "it is shown once"
    );
    let kept = admin.get(&path).data();
    assert_eq!(
        kept["enrollment"], identity["enrollment"],
        "the session and the token live on"
    );
    let admin = Api::admin(&controller);
    assert_eq!(admin.get(&path).status, 200);
    assert_eq!(own.map(|kind| made(&admin, kind)), founded);
    assert_eq!(admin.get("/config-types/proxy.v1").status, 404);
    assert_eq!(admin.get("/config-types/host.v2").status, 200);
}

#[test]
fn store_in_use_is_left_alone() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let second = site.quickstart().run_expecting_failure().expect_code(1);
    let errors: Vec<_> = second
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 1, "{}", second.stderr);
    assert!(
        errors[0].contains("in use") || errors[0].contains("another"),
        "{errors:?}"
    );
    assert!(!second.stderr.contains("panicked"), "{}", second.stderr);
    assert_eq!(Api::admin(&controller).get("/identities").status, 200);
}

#[test]
fn temporary_home_is_gone_after_the_end() {
    let site = TestDirectory::new();
    let controller = site.temporary().start();
    let printed = controller.printed();
    let home = printed
        .lines()
        .find_map(|line| line.trim().strip_prefix("CA bundle"))
        .and_then(|path| std::path::Path::new(path.trim()).parent())
        .unwrap()
        .to_owned();
    assert!(home.join("ca.pem").exists(), "{}", home.display());
    assert!(controller.terminate().success());
    assert!(!home.exists(), "{}", home.display());
}
