//! TOTP: what changes between the examination of a code and its transaction is heeded.

use crate::support::hold::Hold;
use crate::support::mfa::{
    CodePlacement, CodeUse, MfaFixture, advance_clock, begin, is_full, own_mfa, status_and_code,
    wrong_code_count,
};
use crate::support::{modify_store, read};
use http::Method;
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::mfa::{CodeUsage, MfaProgress, SpentCodes, TimeStep, WrongCodes};
use portcullis_storage::tables::{Found, RowsMut, StoredMfa, UniqueIndex, UniqueValue};
use portcullis_testkit::Reply;
use std::time::Duration;

/// What is changed while a code waits for the writer.
type Change = fn(&mut RowsMut<'_>, &Found<Identity>, &Found<StoredMfa>, TimeStep);

/// Turns that a request is given to get as far as the writer.
const TURNS: usize = 200;

fn edit(rows: &mut RowsMut<'_>, mfa: &Found<StoredMfa>, change: impl FnOnce(&mut StoredMfa)) {
    let mut after = mfa.entity.clone();
    change(&mut after);
    rows.replace(&mfa.key, &mfa.entity, &after).unwrap();
}

fn remove(rows: &mut RowsMut<'_>, identity: &Found<Identity>, mfa: &Found<StoredMfa>) {
    rows.remove(&mfa.key, &mfa.entity).unwrap();
    let mut after = identity.entity.clone();
    after.attached.totp = TotpState::None;
    rows.replace(&identity.key, &identity.entity, &after)
        .unwrap();
}

fn charge(rows: &mut RowsMut<'_>, identity: &Found<Identity>, step: TimeStep) {
    let second = i64::try_from(step.0 * TimeStep::SECONDS).unwrap();
    let last_at = portcullis_domain::clock::Timestamp::from_second(second + 29).unwrap();
    let mut after = identity.entity.clone();
    after.wrong_codes = Some(WrongCodes {
        in_a_row: 9,
        last_at,
    });
    rows.replace(&identity.key, &identity.entity, &after)
        .unwrap();
}

const WRONG: &str = "400 MFA_INVALID_TOKEN";
const HELD: &str = "429 SERVER_TOO_MANY_REQUESTS";

/// What is changed, and what then becomes of a TOTP code and of a recovery code.
const CHANGES: [(&str, Change, [&str; 2]); 7] = [
    ("nothing", |_, _, _, _| {}, ["200", "200"]),
    (
        "the enrollment is removed",
        |rows, identity, mfa, _| remove(rows, identity, mfa),
        ["409 MFA_NOT_ENROLLED"; 2],
    ),
    (
        "there are wrong codes",
        |rows, identity, _, step| charge(rows, identity, step),
        [HELD; 2],
    ),
    (
        "another secret",
        |rows, _, mfa, _| edit(rows, mfa, |mfa| mfa.secret.push(' ')),
        [WRONG; 2],
    ),
    (
        "other recovery codes",
        |rows, _, mfa, _| edit(rows, mfa, |mfa| mfa.recovery_codes.push(' ')),
        ["200", WRONG],
    ),
    (
        "the codes are used",
        |rows, _, mfa, step| {
            edit(rows, mfa, |mfa| {
                let MfaProgress::Verified(CodeUsage {
                    last_step, spent, ..
                }) = &mut mfa.mfa.progress
                else {
                    unreachable!()
                };
                (*last_step, *spent) = (step, spent.with_spent(0));
            });
        },
        [WRONG; 2],
    ),
    (
        "the sessions are over",
        |rows, identity, _, _| {
            rows.remove_dependents::<ApiSession>(&identity.key, |_| true)
                .unwrap();
        },
        ["401 UNAUTHORIZED"; 2],
    ),
];

#[tokio::test]
async fn a_code_is_judged_by_what_stands_when_its_turn_comes() {
    for (what, change, expected) in CHANGES {
        for (is_recovery, expected) in [false, true].into_iter().zip(expected) {
            let scene = MfaFixture::new().await;
            let (controller, person) = (&scene.controller, &scene.person);
            let (device, recovery) = scene.enroll().await;
            let session = person.log_in(controller).await;
            advance_clock(controller, 60);
            let step = TimeStep::at(controller.app.env().now());
            let code = if is_recovery {
                recovery[0].clone()
            } else {
                device.code(controller, 0)
            };

            let attempt = CodeUse::Answer.submit(controller, &session, &code);
            let reply = overtaken(&scene, attempt, move |rows, identity, mfa| {
                change(rows, identity, mfa, step);
            })
            .await;
            let what = format!("{what}, recovery code: {is_recovery}");
            assert_eq!(
                status_and_code(&reply),
                expected,
                "{what}: {}",
                reply.text()
            );
            let wrong = wrong_code_count(controller, &person.id).await;
            let expected_count = match expected {
                WRONG => 1,
                HELD => 9,
                _ => 0,
            };
            assert_eq!(wrong, expected_count, "{what}");
            if !expected.starts_with("401") {
                assert_eq!(
                    is_full(controller, &session).await,
                    expected == "200",
                    "{what}"
                );
            }
        }
    }
}

/// Asks for something that has to wait for the writer, and has something else changed before its turn.
async fn overtaken(
    scene: &MfaFixture,
    asked: impl Future<Output = Reply>,
    change: impl Fn(&mut RowsMut<'_>, &Found<Identity>, &Found<StoredMfa>) + Send + 'static,
) -> Reply {
    let controller = &scene.controller;
    let hold = Hold::take(controller);
    let by_id = UniqueValue::new(UniqueIndex::IdentityId, scene.person.id.as_str());
    let mut changing = Box::pin(modify_store(controller, move |rows| {
        let identity: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
        let mfa = rows.rows().dependents::<StoredMfa>(&identity.key).unwrap();
        change(rows, &identity, &mfa[0]);
    }));
    let waits = tokio::time::timeout(Duration::ZERO, &mut changing).await;
    assert!(waits.is_err(), "the writer is busy");
    let release = async {
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
        drop(hold);
    };
    let (reply, (), ()) = tokio::join!(asked, changing, release);
    reply
}

fn verified(rows: &mut RowsMut<'_>, identity: &Found<Identity>, mfa: &Found<StoredMfa>) {
    edit(rows, mfa, |mfa| {
        mfa.mfa.progress = MfaProgress::Verified(CodeUsage {
            last_step: TimeStep(1),
            spent: SpentCodes::default(),
            reprise: None,
        });
    });
    let mut after = identity.entity.clone();
    after.attached.totp = TotpState::Verified;
    rows.replace(&identity.key, &identity.entity, &after)
        .unwrap();
}

/// Lets all sessions of an identity be without a code.
fn halve(rows: &mut RowsMut<'_>, identity: &Found<Identity>) {
    for found in rows.rows().dependents::<ApiSession>(&identity.key).unwrap() {
        let mut after = found.entity.clone();
        (after.totp.is_required, after.totp.passed_at) = (true, None);
        rows.replace(&found.key, &found.entity, &after).unwrap();
    }
}

#[tokio::test]
async fn an_enrollment_that_is_verified_meanwhile_is_not_abandoned() {
    for (is_partial, expected) in [(false, WRONG), (true, "401 UNAUTHORIZED")] {
        let scene = MfaFixture::new().await;
        let (controller, session) = (&scene.controller, &scene.person.session);
        begin(controller, session).await;
        let leave = own_mfa(
            controller,
            session,
            (Method::DELETE, ""),
            CodePlacement::Omitted,
        );
        let reply = overtaken(&scene, leave, move |rows, identity, mfa| {
            verified(rows, identity, mfa);
            if is_partial {
                halve(rows, identity);
            }
        })
        .await;
        assert_eq!(status_and_code(&reply), expected);
        let shown = read(controller, &scene.admin, &scene.person.id).await;
        assert_eq!(shown["isMfaEnabled"], true);
    }
}

#[tokio::test]
async fn a_session_that_is_partial_meanwhile_removes_nothing() {
    let scene = MfaFixture::new().await;
    let (controller, session) = (&scene.controller, &scene.person.session);
    let (device, _) = scene.enroll().await;
    let code = device.code(controller, 0);
    let leave = CodeUse::Leave.submit(controller, session, &code);
    let reply = overtaken(&scene, leave, |rows, identity, _| halve(rows, identity)).await;
    assert_eq!(status_and_code(&reply), "401 UNAUTHORIZED");
    let shown = read(controller, &scene.admin, &scene.person.id).await;
    assert_eq!(shown["isMfaEnabled"], true);
    // Nothing was committed: the code is as good as before.
    assert_eq!(
        CodeUse::Answer
            .submit(controller, session, &code)
            .await
            .status,
        200
    );
}
