//! Whom nobody else can help is let in from beside the store.

use crate::support::mfa::{answer, enroll, partial};
use crate::support::{
    current_session, edit_entity, find_identity_id, log_in, log_in_with_password,
};
use portcullis_app::{AppError, account_recovery};
use portcullis_domain::identity::Identity;
use portcullis_domain::mfa::WrongCodes;
use portcullis_storage::tables::UniqueIndex;
use portcullis_testkit::{ADMIN, Harness};
use serde_json::json;

#[tokio::test]
async fn sole_administrator_that_lost_its_app_gets_in() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let (device, _codes) = enroll(&controller, &admin).await;
    let now = controller.app.env().now();
    edit_entity(
        &controller,
        UniqueIndex::IdentityName,
        ADMIN,
        move |it: &mut Identity| {
            let (in_a_row, last_at) = (100, now);
            it.wrong_codes = Some(WrongCodes { in_a_row, last_at });
        },
    )
    .await;
    account_recovery::remove_mfa(&controller.app, ADMIN)
        .await
        .unwrap();
    assert_eq!(current_session(&controller, &admin).await.status, 401);
    let data = log_in(&controller, ADMIN).await.data();
    let again = account_recovery::remove_mfa(&controller.app, ADMIN).await;
    let nothing = matches!(
        again,
        Err(AppError::NotFound {
            kind: "MFA enrollment",
            ..
        })
    );
    assert!(nothing, "{again:?}");
    let session = data["token"].as_str().unwrap();
    assert_eq!(current_session(&controller, session).await.status, 200);
    assert_eq!(
        (&data["authQueries"], &data["isMfaRequired"]),
        (&json!([]), &json!(false))
    );
    // The count begins anew with the next enrollment, and the old app is worth nothing.
    let admin = data["token"].as_str().unwrap();
    enroll(&controller, admin).await;
    let session = partial(&controller, ADMIN).await;
    let refused = answer(&controller, &session, &device.code(&controller, 0)).await;
    assert_eq!(refused.error(), (400, "MFA_INVALID_TOKEN".to_owned()));
}

#[tokio::test]
async fn password_is_set_anew_and_the_second_factor_stays() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let user = controller.create_user(&admin, "anne", json!({})).await;
    enroll(&controller, &user).await;
    let id = find_identity_id(&controller, &admin, "anne").await;
    let now = controller.app.env().now();
    edit_entity(
        &controller,
        UniqueIndex::IdentityId,
        &id,
        move |it: &mut Identity| {
            it.disable(None, now);
        },
    )
    .await;
    let set = account_recovery::reset_password(&controller.app, &id, "another horse".into()).await;
    let set = set.unwrap();
    assert_eq!((set.id.as_str(), &*set.name), (&*id, "anne"));
    assert_eq!(current_session(&controller, &user).await.status, 401);
    assert_eq!(log_in(&controller, "anne").await.status, 401);
    let data = log_in_with_password(&controller, "anne", "another horse")
        .await
        .data();
    assert_eq!(data["authQueries"][0]["typeId"], "MFA");
}

#[tokio::test]
async fn nobody_and_what_is_not_there_are_not_found() {
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    crate::support::create(&controller, &admin, "device", json!({})).await;
    let missing = account_recovery::remove_mfa(&controller.app, "nobody").await;
    assert!(matches!(
        missing,
        Err(AppError::NotFound {
            kind: "identity",
            ..
        })
    ));
    let missing =
        account_recovery::reset_password(&controller.app, "device", "another horse".into()).await;
    assert!(matches!(
        missing,
        Err(AppError::NotFound {
            kind: "password",
            ..
        })
    ));
}
