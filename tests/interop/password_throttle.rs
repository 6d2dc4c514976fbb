//! Wrong passwords stay counted through a restart.

use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::change::Change;
use portcullis_domain::password_throttle::ThrottleRules;
use portcullis_storage::engine::submit_with;
use portcullis_storage::tables::{Found, RowsMut, UniqueIndex, UniqueValue};
use portcullis_storage_redb::{Options, RedbEngine};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr};
use support::api::CLIENT;
use support::tools::are_available;
use support::{Api, Reply, TestDirectory, Tool};

const PASSWORD: &str = "a-persons-password";

/// Where all requests of this test come from.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn attempt(api: &Api, password: &str) -> Reply {
    let body = json!({"username": "anne", "password": password});
    let login = api.curl(&format!("{CLIENT}/authenticate?method=password"));
    login.json("POST", &body).send()
}

#[test]
fn wrong_passwords_stay_counted_through_a_kill() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    admin.create_user("anne", PASSWORD);
    for _ in 0..5 {
        let refused = attempt(&admin, "a wrong one");
        assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
    }
    controller.kill();
    guess_on(&site, 10);

    let controller = site.quickstart().start();
    // Fifteen in a row: a quarter of an hour, from the last one on.
    let refused = attempt(&admin, PASSWORD);
    assert_eq!(refused.error(), (401, "INVALID_AUTH".to_owned()));
    assert!(controller.terminate().success());
}

/// Counts wrong passwords as soon as they would be looked at, in the store of a controller that is not
/// running. Without those that the controller has counted these would be too few to make anybody wait.
fn guess_on(site: &TestDirectory, times: u32) {
    let store = site.home().join("ctrl.db.portcullis");
    let engine = RedbEngine::<Change>::open(&store, Options::default()).unwrap();
    let counting = submit_with(&engine, move |tx| {
        let mut rows = RowsMut::new(tx);
        let by_name = UniqueValue::new(UniqueIndex::AuthenticatorUsername, "anne");
        let found: Found<Authenticator> = rows.rows().find(&by_name).unwrap().unwrap();
        let mut after = found.entity.clone();
        let Credential::Updb(updb) = &mut after.credential else {
            unreachable!()
        };
        // A few seconds ago.
        let now = found.entity.created_at;
        for _ in 0..times {
            updb.throttle
                .record_failure(HERE, ThrottleRules::default(), now);
        }
        let throttled = updb.throttle.admit(HERE, ThrottleRules::default(), now);
        assert_eq!(throttled.unwrap_err().retry_after, 1 << 10);
        rows.replace(&found.key, &found.entity, &after)
    });
    counting.unwrap().wait().unwrap().unwrap();
}
