//! TOTP: records that are lost, or do not fit each other. Whatever is wrong, nobody is let in by it.

use crate::support::mfa::{
    CodePlacement, CodeUse, Device, MfaFixture, TestUser, answer, enroll, is_full, own_mfa,
    request_with_code,
};
use crate::support::{edit_entity, modify_store, read};
use http::Method;
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::mfa::MfaProgress;
use portcullis_storage::tables::{
    Found, MFA, RecordCounts, RowsMut, StoredMfa, UniqueIndex, UniqueValue,
};
use portcullis_testkit::{Harness, Reply};

/// Two people who are enrolled, and a partial session of the first.
struct Scenery {
    scene: MfaFixture,
    other: TestUser,
    device: Device,
    recovery: Vec<String>,
    other_device: Device,
    partial: String,
}

impl Scenery {
    async fn new() -> Self {
        let scene = MfaFixture::new().await;
        let controller = &scene.controller;
        let other = TestUser::new(controller, &scene.admin, "bert").await;
        let (other_device, _) = enroll(controller, &other.session).await;
        let (device, recovery) = scene.enroll().await;
        let partial = scene.person.log_in(controller).await;
        Self {
            scene,
            other,
            device,
            recovery,
            other_device,
            partial,
        }
    }

    /// Changes the records of both behind the controller's back.
    async fn damage<F>(&self, change: F)
    where
        F: Fn(&mut RowsMut<'_>, &Found<StoredMfa>, &Found<StoredMfa>) + Send + 'static,
    {
        let [own, other] = [&self.scene.person.id, &self.other.id]
            .map(|id| UniqueValue::new(UniqueIndex::IdentityId, id.as_str()));
        modify_store(&self.scene.controller, move |rows| {
            let record = |id: &UniqueValue| {
                let identity: Found<Identity> = rows.rows().find(id).unwrap().unwrap();
                let mut found = rows.rows().dependents::<StoredMfa>(&identity.key).unwrap();
                found.pop().unwrap()
            };
            let (own, other) = (record(&own), record(&other));
            change(rows, &own, &other);
        })
        .await;
    }

    /// Changes the record of the first person alone.
    async fn edit(&self, change: impl Fn(&mut StoredMfa, &StoredMfa) + Send + 'static) {
        self.damage(move |rows, own, other| {
            let mut after = own.entity.clone();
            change(&mut after, &other.entity);
            rows.replace(&own.key, &own.entity, &after).unwrap();
        })
        .await;
    }

    /// Asserts that no code leads anywhere, through whichever session, and none is said to be wrong.
    async fn check(&self, what: &str) {
        let controller = &self.scene.controller;
        for code in [
            self.device.code(controller, 0),
            self.device.wrong_code(controller),
            self.other_device.code(controller, 0),
            self.recovery[0].clone(),
        ] {
            assert_damaged(&answer(controller, &self.partial, &code).await, what);
            for purpose in CodeUse::ENROLLED {
                let reply = purpose
                    .submit(controller, &self.scene.person.session, &code)
                    .await;
                assert_damaged(&reply, what);
            }
        }
        assert!(!is_full(controller, &self.partial).await, "{what}");
        // What is sealed is not looked at before a code comes.
        let login = self.scene.person.try_to_log_in(controller).await;
        if login.status == 200 {
            let queries = &login.data()["authQueries"];
            assert_eq!(queries[0]["typeId"], "MFA", "{what}");
        } else {
            assert_damaged(&login, what);
        }
    }

    /// Asserts that nobody logs in whose records do not agree.
    async fn check_login(&self, what: &str) {
        let login = self.scene.person.try_to_log_in(&self.scene.controller);
        assert_damaged(&login.await, what);
    }

    /// Asserts that an administrator puts an end to it, and that nobody else was touched by it.
    async fn repair(&self, what: &str) {
        let controller = &self.scene.controller;
        assert_eq!(self.scene.remove().await.status, 200, "{what}");
        let view = controller.engine.snapshot().unwrap();
        assert_eq!(RecordCounts::verify(&*view).unwrap(), [], "{what}");
        let gone = answer(controller, &self.partial, &self.recovery[1]).await;
        assert_eq!(gone.error(), (409, "MFA_NOT_ENROLLED".to_owned()), "{what}");
        let session = self.scene.person.log_in(controller).await;
        assert!(is_full(controller, &session).await, "{what}");
        enroll(controller, &session).await;
        let session = self.other.log_in(controller).await;
        let code = self.other_device.code(controller, 0);
        assert_eq!(
            answer(controller, &session, &code).await.status,
            200,
            "{what}"
        );
    }
}

#[track_caller]
fn assert_damaged(reply: &Reply, what: &str) {
    assert_eq!(
        reply.error(),
        (500, "UNHANDLED".to_owned()),
        "{what}: {}",
        reply.text()
    );
    assert!(
        reply.json()["error"].get("cause").is_none(),
        "{what}: {}",
        reply.text()
    );
}

async fn look(controller: &Harness, session: &str) -> Reply {
    own_mfa(
        controller,
        session,
        (Method::GET, ""),
        CodePlacement::Omitted,
    )
    .await
}

#[tokio::test]
async fn a_record_that_is_lost_lets_nobody_in() {
    let scenery = Scenery::new().await;
    scenery
        .damage(|rows, own, _| rows.remove(&own.key, &own.entity).unwrap())
        .await;
    scenery.check("lost").await;
    scenery.check_login("lost").await;
    let controller = &scenery.scene.controller;
    assert_damaged(&look(controller, &scenery.partial).await, "lost");
    // It is not begun anew either: that would be a way round it.
    let path = "/edge/client/v1/current-identity/mfa";
    let begun = request_with_code(
        controller,
        &scenery.partial,
        (Method::POST, path),
        CodePlacement::Omitted,
    )
    .await;
    assert_eq!(begun.error(), (409, "MFA_EXISTS".to_owned()));
    let shown = read(controller, &scenery.scene.admin, &scenery.scene.person.id).await;
    assert_eq!(shown["isMfaEnabled"], true);
    scenery.repair("lost").await;
}

#[tokio::test]
async fn a_record_that_says_less_than_its_identity_lets_nobody_in() {
    let scenery = Scenery::new().await;
    scenery
        .edit(|own, _| own.mfa.progress = MfaProgress::Started)
        .await;
    scenery.check("started").await;
    scenery.check_login("started").await;
    let controller = &scenery.scene.controller;
    // Nothing that it takes to enroll is shown, and no code finishes it once more.
    assert_damaged(&look(controller, &scenery.partial).await, "started");
    let path = (Method::GET, "/qr-code");
    assert_damaged(
        &own_mfa(controller, &scenery.partial, path, CodePlacement::Omitted).await,
        "started",
    );
    let code = scenery.device.code(controller, 0);
    assert_damaged(
        &CodeUse::Verify
            .submit(controller, &scenery.partial, &code)
            .await,
        "started",
    );
    let asked = (Method::DELETE, "");
    let left = own_mfa(controller, &scenery.partial, asked, CodePlacement::Omitted).await;
    assert_eq!(left.error(), (401, "UNAUTHORIZED".to_owned()));
    scenery.repair("started").await;
}

/// An identity that says that it is not as far as its record: codes lead nowhere, and the enrollment
/// is neither begun anew nor left.
#[tokio::test]
async fn an_identity_that_says_less_than_its_record_changes_nothing() {
    for state in [TotpState::None, TotpState::Started] {
        let scenery = Scenery::new().await;
        let (controller, person) = (&scenery.scene.controller, &scenery.scene.person);
        let change = move |identity: &mut Identity| identity.attached.totp = state;
        edit_entity(controller, UniqueIndex::IdentityId, &person.id, change).await;
        let what = format!("{state:?}");
        let code = scenery.device.code(controller, 0);
        for session in [&scenery.partial, &person.session] {
            assert_damaged(&answer(controller, session, &code).await, &what);
            assert_damaged(
                &CodeUse::Verify.submit(controller, session, &code).await,
                &what,
            );
            assert_damaged(&look(controller, session).await, &what);
        }
        assert!(!is_full(controller, &scenery.partial).await, "{what}");
        scenery.check_login(&what).await;
        if state == TotpState::Started {
            let asked = (Method::DELETE, "");
            let left = own_mfa(controller, &scenery.partial, asked, CodePlacement::Omitted).await;
            assert_damaged(&left, &what);
        }
        scenery.repair(&what).await;
    }
}

#[tokio::test]
async fn what_was_sealed_for_another_record_opens_nothing() {
    let scenery = Scenery::new().await;
    scenery
        .edit(|own, other| own.secret.clone_from(&other.secret))
        .await;
    scenery.check("the secret of another").await;
    scenery.repair("the secret of another").await;

    let scenery = Scenery::new().await;
    scenery
        .edit(|own, other| own.recovery_codes.clone_from(&other.recovery_codes))
        .await;
    scenery.check("the recovery codes of another").await;
    scenery.repair("the recovery codes of another").await;
}

/// What happens to a record.
type Damage = fn(&mut StoredMfa);

#[tokio::test]
async fn what_is_not_what_was_sealed_opens_nothing() {
    let scenery = Scenery::new().await;
    let before = std::sync::Arc::new(std::sync::Mutex::new(None));
    let keep = before.clone();
    scenery
        .damage(move |_, own, _| *keep.lock().unwrap() = Some(own.entity.clone()))
        .await;
    let sound = before.lock().unwrap().clone().unwrap();
    let damages: [(&str, Damage); 6] = [
        ("one in the place of the other", |own| {
            std::mem::swap(&mut own.secret, &mut own.recovery_codes);
        }),
        ("no secret", |own| own.secret.clear()),
        ("no recovery codes", |own| own.recovery_codes.clear()),
        ("cut off", |own| {
            own.secret.truncate(own.secret.len() - 4);
        }),
        ("not base64", |own| own.secret.insert(0, '*')),
        ("in clear", |own| {
            "MZXW6YTBOI5DGMRTMZXW6YTBOI5DGMRT".clone_into(&mut own.secret);
        }),
    ];
    for (what, damage) in damages {
        let sound = sound.clone();
        scenery
            .edit(move |own, _| {
                own.clone_from(&sound);
                damage(own);
            })
            .await;
        scenery.check(what).await;
    }
    // Nothing was counted or used up on the way.
    scenery.edit(move |own, _| own.clone_from(&sound)).await;
    let controller = &scenery.scene.controller;
    let code = scenery.device.code(controller, 0);
    assert_eq!(
        answer(controller, &scenery.partial, &code).await.status,
        200
    );
    scenery.repair("what is not sealed").await;
}

#[tokio::test]
async fn of_two_records_none_counts() {
    let scenery = Scenery::new().await;
    let number = scenery.scene.controller.engine.allocate(MFA);
    let by_id = UniqueValue::new(UniqueIndex::IdentityId, scenery.scene.person.id.as_str());
    modify_store(&scenery.scene.controller, move |rows| {
        let identity: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
        let own = rows.rows().dependents::<StoredMfa>(&identity.key).unwrap();
        let second = identity.key.dependent(MFA, number);
        rows.insert(&second, &own[0].entity).unwrap();
    })
    .await;
    scenery.check("two records").await;
    scenery.check_login("two records").await;
    scenery.repair("two records").await;
}
