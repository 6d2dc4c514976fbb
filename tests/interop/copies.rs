//! A copy that a running controller has made takes the place of its store.

use serde_json::json;
use std::fs;
use support::tools::are_available;
use support::{Api, TestDirectory, Tool};

#[test]
fn copy_of_a_running_store_is_served_in_its_place() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let path = |identity: &serde_json::Value| {
        let id = identity["id"].as_str().unwrap();
        format!("/identities/{id}")
    };
    let before = path(&admin.create_identity("before", &json!({"ott": true})));
    let shown = admin.get(&before).data();
    let reply = admin.send("POST", "/database/snapshot", &json!({}));
    assert_eq!(reply.status, 200);
    let told = reply.data()["path"].as_str().unwrap().to_owned();
    let after = path(&admin.create_identity("after", &json!({"ott": true})));
    assert!(controller.terminate().success());

    let store = site.home().join("ctrl.db.portcullis");
    let copies: Vec<_> = fs::read_dir(site.home())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.display().to_string().contains(".portcullis-"))
        .collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    assert_eq!(copies[0].display().to_string(), told);
    fs::rename(&copies[0], &store).unwrap();
    let controller = site.quickstart().start();
    // The session is from before the copy; what is sealed in the enrollment opens.
    assert_eq!(admin.get(&before).data(), shown);
    assert_eq!(admin.get(&after).status, 404);
    let admin = Api::admin(&controller);
    let reply = admin.send("POST", "/database/check-data-integrity", &json!({}));
    assert_eq!(reply.status, 202);
    assert!(controller.terminate().success(), "a check is no obstacle");
}
