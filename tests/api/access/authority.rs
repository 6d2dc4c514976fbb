//! Authority is judged where a change is made: what a caller loses on the way there, it has lost.

use crate::support::hold::{Hold, drawn};
use crate::support::{edit_entity, find_identity_id, get, modify_store, text};
use http::Method;
use portcullis_app::{AppError, administrator};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::identity::Identity;
use portcullis_domain::permission::PermissionSet;
use portcullis_storage::engine::submit_with;
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{ENROLLMENT, Found, IDENTITY, RowsMut, UniqueIndex, UniqueValue};
use portcullis_testkit::{ADMIN, Harness, HarnessOptions, PASSWORD};
use serde_json::{Value, json};
use std::sync::Arc;

/// What an administrator loses.
#[derive(Debug, Clone, Copy)]
enum Loss {
    Rank,
    RankForPermissions,
    Identity,
    Access,
    Session,
}

const LOSSES: [Loss; 5] = [
    Loss::Rank,
    Loss::RankForPermissions,
    Loss::Identity,
    Loss::Access,
    Loss::Session,
];

impl Loss {
    fn inflict(self, rows: &mut RowsMut<'_>, id: &str, now: portcullis_domain::clock::Timestamp) {
        let by_id = UniqueValue::new(UniqueIndex::IdentityId, id);
        let found: Found<Identity> = rows.rows().find(&by_id).unwrap().unwrap();
        let mut after = found.entity.clone();
        match self {
            Self::Rank => after.spec.is_admin = false,
            Self::RankForPermissions => {
                after.spec.is_admin = false;
                let permissions = PermissionSet::from_names(["identity", "enrollment"]);
                after.spec.permissions = Some(permissions.unwrap());
            },
            Self::Identity => return rows.remove_identity(&found).unwrap(),
            Self::Access => after.disable(None, now),
            Self::Session => {
                rows.remove_dependents::<ApiSession>(&found.key, |_session| true)
                    .unwrap();
            },
        }
        rows.replace(&found.key, &found.entity, &after).unwrap();
    }
}

/// Has somebody who is an administrator ask for something that is to draw a number of `kind`, and
/// lose something before the store gets to it; answers what it is told.
async fn ask_and_lose(
    controller: &Arc<Harness>,
    loss: Loss,
    (path, body, kind): (&'static str, Value, Kind),
) -> (u16, String) {
    let admin = controller.admin().await;
    let name = format!("{loss:?} {path}");
    let token = controller
        .create_user(&admin, &name, json!({"isAdmin": true}))
        .await;
    let id = find_identity_id(controller, &admin, &name).await;
    let now = controller.app.env().now();

    let hold = Hold::take(controller);
    let losing = submit_with(&*controller.engine, move |tx| {
        loss.inflict(&mut RowsMut::new(tx), &id, now);
        Ok::<_, std::convert::Infallible>(())
    });
    let first = controller.engine.allocate(kind);
    let asking = tokio::spawn({
        let controller = controller.clone();
        async move {
            let request = controller.manage(Method::POST, path, &token);
            request.json(&body).send().await
        }
    });
    drawn(controller, kind, 1, first).await;
    assert!(!asking.is_finished(), "it waits for the store");
    drop(hold);
    losing.unwrap().await.unwrap().unwrap();
    asking.await.unwrap().error()
}

#[tokio::test]
async fn authority_lost_on_the_way_to_the_store_creates_nothing() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let boss = json!({"isAdmin": true});
    let boss = crate::support::create(&controller, &admin, "boss", boss).await;
    let enrollment = json!({
        "identityId": boss, "method": "ott", "expiresAt": "2040-01-01T00:00:00Z",
    });
    let identity = json!({"name": "made", "isAdmin": true, "enrollment": {"ott": true}});
    for loss in LOSSES {
        for (path, body, kind) in [
            ("/identities", &identity, IDENTITY),
            ("/enrollments", &enrollment, ENROLLMENT),
        ] {
            let refusal = ask_and_lose(&controller, loss, (path, body.clone(), kind)).await;
            assert_eq!(refusal, (401, "UNAUTHORIZED".to_owned()), "{loss:?} {path}");
        }
        let made = get(&controller, &admin, "/identities?filter=name%3D%22made%22").await;
        assert_eq!(made.data(), json!([]), "{loss:?}");
        let pending = get(&controller, &admin, "/enrollments").await;
        assert_eq!(pending.data(), json!([]), "{loss:?}");
    }

    // Who loses nothing is not refused for having waited.
    let hold = Hold::take(&controller);
    let first = controller.engine.allocate(IDENTITY);
    let asking = tokio::spawn({
        let (controller, admin) = (controller.clone(), admin.clone());
        async move {
            let request = controller.manage(Method::POST, "/identities", &admin);
            request.json(&identity).send().await
        }
    });
    drawn(&controller, IDENTITY, 1, first).await;
    drop(hold);
    asking.await.unwrap().id();
}

#[tokio::test]
async fn rank_of_an_identity_counts_as_it_is_when_it_is_enrolled() {
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let helper = json!({"permissions": ["identity", "enrollment"]});
    let helper = controller.create_user(&admin, "helper", helper).await;
    let id = crate::support::create(&controller, &admin, "rising", json!({})).await;
    let hold = Hold::take(&controller);
    let promoting = edit_entity(
        &controller,
        UniqueIndex::IdentityId,
        &id,
        |one: &mut Identity| {
            one.spec.is_admin = true;
        },
    );
    let first = controller.engine.allocate(ENROLLMENT);
    let asking = tokio::spawn({
        let controller = controller.clone();
        let body = json!({"identityId": id, "method": "ott", "expiresAt": "2040-01-01T00:00:00Z"});
        async move {
            let request = controller.manage(Method::POST, "/enrollments", &helper);
            request.json(&body).send().await
        }
    });
    drawn(&controller, ENROLLMENT, 1, first).await;
    drop(hold);
    promoting.await;
    let refusal = asking.await.unwrap().error();
    assert_eq!(refusal, (401, "UNAUTHORIZED".to_owned()));
    let pending = get(&controller, &admin, "/enrollments").await;
    assert_eq!(pending.data(), json!([]));
}

#[tokio::test]
async fn loser_of_the_race_for_the_first_administrator_hears_that_there_is_one() {
    let options = HarnessOptions {
        is_initialized: false,
        ..HarnessOptions::default()
    };
    let controller = Arc::new(Harness::start_with(options).await);
    let hold = Hold::take(&controller);
    let first = controller.engine.allocate(IDENTITY);
    // The same name twice: a name that is taken is not what the second is to hear of.
    let racers = [(); 2].map(|()| {
        let app = controller.app.clone();
        tokio::spawn(async move { administrator::initialize(&app, ADMIN, PASSWORD.into()).await })
    });
    drawn(&controller, IDENTITY, 2, first).await;
    drop(hold);
    let mut outcomes = Vec::new();
    for racer in racers {
        outcomes.push(racer.await.unwrap());
    }
    assert_eq!(outcomes.iter().filter(|made| made.is_ok()).count(), 1);
    let lost = outcomes.iter().find_map(|made| made.as_ref().err());
    assert!(
        matches!(lost, Some(AppError::AlreadyInitialized)),
        "{lost:?}"
    );
    let token = controller.admin().await;
    let all = get(&controller, &token, "/identities").await.data();
    assert_eq!(text(&all[0], "name"), ADMIN);
    // The store works on: nothing of the loser is in it.
    let by_mark = UniqueValue::new(UniqueIndex::DefaultAdministrator, "");
    modify_store(&controller, move |rows| {
        let found: Option<Found<Identity>> = rows.rows().find(&by_mark).unwrap();
        assert!(found.is_some());
    })
    .await;
}
