//! Where TOTP is answered otherwise than by OpenZiti, on purpose.

use serde_json::json;
use support::api::{CLIENT, MANAGEMENT};
use support::mfa::{CodePlacement, texts};
use support::tools::are_available;
use support::{Api, Controller, Reply, TestDirectory, Tool, TotpProgram};

const PASSWORD: &str = "a-persons-password";

fn start() -> Option<(TestDirectory, Controller, Api)> {
    are_available(&[Tool::Curl, Tool::Oathtool]).then(|| {
        let site = TestDirectory::new();
        let controller = site.quickstart().start();
        let admin = Api::admin(&controller);
        (site, controller, admin)
    })
}

fn id_of(user: &Api) -> String {
    let shown = user.curl(&format!("{CLIENT}/current-api-session")).send();
    shown.data()["identityId"].as_str().unwrap().to_owned()
}

fn error(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn recovery_codes_are_read_with_recovery_codes_which_are_spent_by_it() {
    let Some((_site, _controller, admin)) = start() else {
        return;
    };
    let user = admin.create_user("anne", PASSWORD);
    let set_up = user.enroll_in_mfa(TotpProgram::Oathtool);
    let codes = "/recovery-codes";
    for (given, place) in [
        (CodePlacement::Header(&set_up.recovery[0]), 0),
        (CodePlacement::Body(&set_up.recovery[1]), 1),
    ] {
        let read = user.mfa("GET", codes, given).expect_status(200).data();
        assert_eq!(texts(&read["recoveryCodes"]), set_up.recovery[place + 1..]);
        let again = user.mfa("GET", codes, given);
        assert_eq!(again.error(), error(400, "MFA_INVALID_TOKEN"));
    }
    let given = CodePlacement::Body(&set_up.recovery[2]);
    let made = user.mfa("POST", codes, given).expect_status(200).data();
    let made = texts(&made["recoveryCodes"]);
    let read = user
        .mfa("GET", codes, CodePlacement::Header(&made[0]))
        .data();
    assert_eq!(texts(&read["recoveryCodes"]), made[1..]);
}

#[test]
fn what_is_not_verified_answers_nothing_and_can_be_given_up() {
    let Some((_site, _controller, admin)) = start() else {
        return;
    };
    let policy = json!({
        "name": "strict",
        "primary": {"cert": {"allowed": false, "allowExpiredCerts": false},
                    "updb": {"allowed": true, "minPasswordLength": 5, "requireSpecialChar": false,
                             "requireNumberChar": false, "requireMixedCase": false,
                             "maxAttempts": 0, "lockoutDurationMinutes": 0},
                    "extJwt": {"allowed": false, "allowedSigners": []}},
        "secondary": {"requireTotp": true},
    });
    let created = admin
        .send("POST", "/auth-policies", &policy)
        .expect_status(201);
    let user = admin.create_user("anne", PASSWORD);
    let change = json!({"authPolicyId": created.data()["id"]});
    let path = format!("/identities/{}", id_of(&user));
    assert_eq!(admin.send("PATCH", &path, &change).status, 200);
    assert!(!user.is_full(), "policies act at once");

    let mut given_up = user.begin_mfa(TotpProgram::Oathtool);
    for code in [given_up.app.code(), given_up.recovery[0].clone()] {
        let answer = user.answer_mfa(&code);
        assert_eq!(answer.error(), error(409, "MFA_NOT_ENROLLED"));
    }
    assert!(!user.is_full());
    assert_eq!(user.mfa("DELETE", "", CodePlacement::Omitted).status, 200);
    let mut set_up = user.enroll_in_mfa(TotpProgram::Oathtool);
    assert!(user.is_full());

    let partial = admin.log_in("anne", PASSWORD);
    let query = partial.curl(&format!("{CLIENT}/current-api-session"));
    let query = query.send().data()["authQueries"][0].clone();
    assert_eq!(
        (&query["typeId"], &query["isTotpEnrolled"]),
        (&json!("MFA"), &json!(true))
    );
    let code = set_up.app.code();
    let refused = partial.mfa("DELETE", "", CodePlacement::Header(&code));
    assert_eq!(refused.error(), error(401, "UNAUTHORIZED"));
    assert_eq!(partial.answer_mfa(&code).status, 200, "it is not spent");
}

#[test]
fn enrollments_of_nobody_cannot_be_removed() {
    let Some((_site, _controller, admin)) = start() else {
        return;
    };
    let user = admin.create_user("anne", PASSWORD);
    let of = |id: &str| -> Reply { admin.delete(&format!("/identities/{id}/mfa")) };
    assert_eq!(of("nobody").error(), error(404, "NOT_FOUND"));
    let id = id_of(&user);
    assert_eq!(of(&id).status, 200, "there was none");
    let _ = user.enroll_in_mfa(TotpProgram::Oathtool);
    assert_eq!(of(&id).status, 200);
    assert!(admin.log_in("anne", PASSWORD).is_full());
}

#[test]
fn lists_show_no_token_of_a_session() {
    let Some((_site, _controller, admin)) = start() else {
        return;
    };
    let own = |token: &str| {
        let shown = admin.with_token(token);
        shown.curl(&format!("{CLIENT}/current-api-session")).send()
    };
    assert_eq!(own(admin.token()).data()["token"], admin.token());
    let filter = format!(r#"token="{}""#, admin.token());
    let found = admin
        .curl(&format!("{MANAGEMENT}/api-sessions"))
        .arguments(["--get", "--data-urlencode", &format!("filter={filter}")])
        .send();
    let found = found.expect_status(200);
    assert!(!found.text().contains(admin.token()));
    let found = found.data();
    assert_eq!(
        found.as_array().unwrap().len(),
        1,
        "it is found by its token"
    );
    let shown = found[0]["token"].as_str().unwrap();
    assert_eq!(own(shown).status, 401, "what is shown lets nobody in");
    let id = found[0]["id"].as_str().unwrap();
    let read = admin.get(&format!("/api-sessions/{id}")).data();
    assert_eq!(read["token"], shown, "it stays the same");
}
