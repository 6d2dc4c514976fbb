//! Property S-09: wrong codes stay counted through restarts, up to the last one.

use portcullis_domain::change::Change;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::mfa::WrongCodes;
use portcullis_storage::engine::submit_with;
use portcullis_storage::tables::{Found, RowsMut, UniqueIndex, UniqueValue};
use portcullis_storage_redb::{Options, RedbEngine};
use support::mfa::MfaSetup;
use support::tools::are_available;
use support::{Api, Reply, TestDirectory, Tool, TotpProgram, wait};

const PASSWORD: &str = "a-persons-password";

/// Wrong codes in a row after which the next one has to wait for a second, and each further one
/// twice as long.
const FREE: usize = 5;

/// Seconds after which another code is looked at.
#[track_caller]
fn held(reply: &Reply) -> u32 {
    assert_eq!(
        reply.error(),
        (429, "SERVER_TOO_MANY_REQUESTS".to_owned()),
        "the session is held"
    );
    let seconds = reply.header("retry-after").expect("it says for how long");
    seconds.parse().expect("it says so in seconds")
}

/// Gives a wrong code as soon as it is looked at.
#[track_caller]
fn give_wrong(session: &Api, set_up: &MfaSetup) {
    let wrong = set_up.app.wrong_code();
    let reply = wait::until(wait::DEFAULT_TIMEOUT, || match session.answer_mfa(&wrong) {
        held if held.status == 429 => Err(held.text()),
        reply => Ok(reply),
    });
    let refused = (400, "MFA_INVALID_TOKEN".to_owned());
    assert_eq!(reply.unwrap().error(), refused);
}

#[test]
fn wrong_codes_stay_counted_through_a_kill() {
    if !are_available(&[Tool::Curl, Tool::Oathtool]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let user = admin.create_user("anne", PASSWORD);
    let mut set_up = user.enroll_in_mfa(TotpProgram::Oathtool);
    for _ in 0..=FREE {
        give_wrong(&user, &set_up);
    }
    controller.kill();

    let controller = site.quickstart().start();
    // Had those before been forgotten, it would cost nothing.
    give_wrong(&user, &set_up);
    let code = set_up.app.long_lived_code().expect("one code was given");
    assert!((1..=4).contains(&held(&user.answer_mfa(&code))));
    let partial = admin.log_in("anne", PASSWORD);
    let reply = wait::until(wait::DEFAULT_TIMEOUT, || match partial.answer_mfa(&code) {
        held if held.status == 429 => Err(held.text()),
        reply => Ok(reply.status),
    });
    assert_eq!(reply, Ok(200), "a code that was not looked at is not spent");
    give_wrong(&partial, &set_up);
    give_wrong(&partial, &set_up);
    assert!(controller.terminate().success());
}

#[test]
fn the_last_wrong_code_is_for_good() {
    if !are_available(&[Tool::Curl, Tool::Oathtool]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    let admin = Api::admin(&controller);
    let user = admin.create_user("anne", PASSWORD);
    let mut set_up = user.enroll_in_mfa(TotpProgram::Oathtool);
    let id = user.curl("/edge/client/v1/current-identity").send().data();
    let id = id["id"].as_str().unwrap().to_owned();
    assert!(controller.terminate().success());
    // Waiting for the longest time between two codes ninety times would take days.
    count(&site, &id, 99);

    let controller = site.quickstart().start();
    give_wrong(&user, &set_up);
    controller.kill();
    let controller = site.quickstart().start();
    let partial = admin.log_in("anne", PASSWORD);
    for session in [&user, &partial] {
        for code in [
            &set_up.app.code(),
            &set_up.recovery[0],
            &set_up.app.wrong_code(),
        ] {
            assert_eq!(held(&session.answer_mfa(code)), 3600, "{code}");
        }
    }
    let removed = admin.delete(&format!("/identities/{id}/mfa"));
    assert_eq!(removed.status, 200);
    let fresh = admin.log_in("anne", PASSWORD);
    let again = fresh.enroll_in_mfa(TotpProgram::Oathtool);
    assert_ne!(again.app.secret(), set_up.app.secret());
    assert!(controller.terminate().success());
}

/// Makes so many wrong codes in a row of an identity's, the newest long ago, in the store of a
/// controller that is not running.
fn count(site: &TestDirectory, id: &str, in_a_row: u32) {
    let store = site.home().join("ctrl.db.portcullis");
    let engine = RedbEngine::<Change>::open(&store, Options::default()).unwrap();
    let id = UniqueValue::new(UniqueIndex::IdentityId, id);
    let last_at = Timestamp::UNIX_EPOCH;
    let counting = submit_with(&engine, move |tx| {
        let mut rows = RowsMut::new(tx);
        let found: Found<Identity> = rows.rows().find(&id).unwrap().unwrap();
        let mut after = found.entity.clone();
        after.wrong_codes = Some(WrongCodes { in_a_row, last_at });
        rows.replace(&found.key, &found.entity, &after)
    });
    counting.unwrap().wait().unwrap().unwrap();
}
