//! What an authority loses while somebody who came by it waits for the store, it has lost.

use crate::support::hold::{Hold, drawn};
use crate::support::third_party::{
    Authority, add, common_name_claim, knock, patch, redeem_ottca, verify,
};
use crate::support::{
    bad_request, create, get, log_in_by_certificate, modify_store, pending_enrollment, revision,
    text,
};
use portcullis_domain::api_session::ApiSession;
use portcullis_domain::ca::Ca;
use portcullis_domain::identity::Identity;
use portcullis_storage::engine::submit_with;
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{
    API_SESSION, AUTHENTICATOR, Entity, Found, RowsMut, UniqueIndex, UniqueValue,
};
use portcullis_testkit::{Harness, Reply};
use serde_json::json;
use std::sync::Arc;

/// What changes behind the back of whoever waits.
#[derive(Debug, Clone, Copy)]
enum Loss {
    Verification,
    Permission,
    Authority,
    Claim,
    ExternalId,
}

fn find<E: Entity>(rows: &RowsMut<'_>, index: UniqueIndex, value: &str) -> Found<E> {
    let value = UniqueValue::new(index, value);
    rows.rows().find(&value).unwrap().unwrap()
}

impl Loss {
    fn inflict(self, rows: &mut RowsMut<'_>, ca: &str) {
        let found: Found<Ca> = find(rows, UniqueIndex::CaId, ca);
        let mut after = found.entity.clone();
        match self {
            Self::Verification => after.spec.is_verified = false,
            Self::Permission => {
                let settings = &mut after.spec.settings;
                settings.is_auth_enabled = false;
                settings.is_ott_enrollment_enabled = false;
                settings.is_auto_enrollment_enabled = false;
            },
            Self::Claim => after.spec.settings.external_id_claim = None,
            Self::Authority => return rows.remove(&found.key, &found.entity).unwrap(),
            Self::ExternalId => {
                let found: Found<Identity> = find(rows, UniqueIndex::IdentityExternalId, "anne");
                let mut after = found.entity.clone();
                after.spec.external_id = None;
                return rows.replace(&found.key, &found.entity, &after).unwrap();
            },
        }
        rows.replace(&found.key, &found.entity, &after).unwrap();
    }
}

/// Has somebody ask for something that is to draw a number of `kind`, and inflicts a loss before
/// the store gets to it.
async fn ask_and_lose(
    controller: &Arc<Harness>,
    (loss, ca): (Loss, &str),
    kind: Kind,
    ask: impl Future<Output = Reply> + Send + 'static,
) -> (u16, String) {
    let hold = Hold::take(controller);
    let ca = ca.to_owned();
    let losing = submit_with(&*controller.engine, move |tx| {
        loss.inflict(&mut RowsMut::new(tx), &ca);
        Ok::<_, std::convert::Infallible>(())
    });
    let first = controller.engine.allocate(kind);
    let asking = tokio::spawn(ask);
    drawn(controller, kind, 1, first).await;
    assert!(!asking.is_finished(), "it waits for the store");
    drop(hold);
    losing.unwrap().await.unwrap().unwrap();
    let at = revision(controller);
    let reply = asking.await.unwrap();
    assert!(revision(controller) <= at + 1);
    reply.error()
}

#[tokio::test]
async fn whoever_waits_is_judged_by_what_is_left() {
    for loss in [Loss::Verification, Loss::Permission, Loss::Authority] {
        let controller = Arc::new(Harness::start().await);
        let admin = controller.admin().await;
        let root = Authority::root("root");
        let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
        let known = root.chain("known");
        assert_eq!(knock(&controller, &known).await.status, 200);
        let identities = get(&controller, &admin, "/identities").await.data();

        let login = {
            let (controller, chain) = (controller.clone(), known.clone());
            async move { log_in_by_certificate(&controller, &chain).await }
        };
        let refusal = ask_and_lose(&controller, (loss, &ca), API_SESSION, login).await;
        assert_eq!(refusal, (401, "INVALID_AUTH".to_owned()), "{loss:?}");

        let ca = restore(&controller, &admin, loss, (&ca, &root)).await;
        let stranger = {
            let (controller, chain) = (controller.clone(), root.chain("stranger"));
            async move { knock(&controller, &chain).await }
        };
        let refusal = ask_and_lose(&controller, (loss, &ca), AUTHENTICATOR, stranger).await;
        assert_eq!(refusal, bad_request("CERT_FAILED_VALIDATION"), "{loss:?}");
        let left = get(&controller, &admin, "/identities").await.data();
        assert_eq!(
            left.as_array().unwrap().len(),
            identities.as_array().unwrap().len()
        );
    }
}

/// Puts an authority back where it was before a loss.
async fn restore(
    controller: &Harness,
    admin: &str,
    loss: Loss,
    (id, authority): (&str, &Authority),
) -> String {
    match loss {
        Loss::Authority => return add(controller, admin, ("ca", authority), json!({})).await,
        Loss::Verification => verify(controller, admin, id, authority).await,
        Loss::Permission => {
            let all = json!({
                "isAuthEnabled": true, "isAutoCaEnrollmentEnabled": true,
                "isOttCaEnrollmentEnabled": true,
            });
            assert_eq!(patch(controller, admin, id, all).await.status, 200);
        },
        Loss::Claim | Loss::ExternalId => unreachable!("nothing that is put back"),
    }
    id.to_owned()
}

#[tokio::test]
async fn token_is_not_spent_on_an_authority_that_lost_its_right() {
    for loss in [Loss::Verification, Loss::Permission] {
        let controller = Arc::new(Harness::start().await);
        let admin = controller.admin().await;
        let root = Authority::root("root");
        let ca = add(&controller, &admin, ("ca", &root), json!({})).await;
        let how = json!({"enrollment": {"ottca": ca}});
        let id = create(&controller, &admin, "laptop", how).await;
        let token = text(
            &pending_enrollment(&controller, &admin, &id, "ottca").await,
            "token",
        )
        .to_owned();
        let chain = root.chain("laptop");
        let redeeming = {
            let (controller, chain, token) = (controller.clone(), chain.clone(), token.clone());
            async move { redeem_ottca(&controller, &token, &chain).await }
        };
        let refusal = ask_and_lose(&controller, (loss, &ca), AUTHENTICATOR, redeeming).await;
        assert_eq!(refusal, bad_request("ENROLLMENT_CA_NOT_VALID"), "{loss:?}");
        restore(&controller, &admin, loss, (&ca, &root)).await;
        assert_eq!(redeem_ottca(&controller, &token, &chain).await.status, 200);
    }
}

#[tokio::test]
async fn external_id_is_judged_again() {
    for loss in [Loss::Claim, Loss::ExternalId] {
        let controller = Arc::new(Harness::start().await);
        let admin = controller.admin().await;
        let root = Authority::root("root");
        let ca = add(&controller, &admin, ("ca", &root), common_name_claim()).await;
        create(&controller, &admin, "x", json!({"externalId": "anne"})).await;
        let login = {
            let (controller, chain) = (controller.clone(), root.chain("anne"));
            async move { log_in_by_certificate(&controller, &chain).await }
        };
        let refusal = ask_and_lose(&controller, (loss, &ca), API_SESSION, login).await;
        assert_eq!(refusal, (401, "INVALID_AUTH".to_owned()), "{loss:?}");
        let sessions = modify_store(&controller, |rows| {
            let identity: Found<Identity> = find(rows, UniqueIndex::IdentityName, "x");
            let sessions = rows.rows().dependents::<ApiSession>(&identity.key);
            sessions.unwrap().len()
        })
        .await;
        assert_eq!(sessions, 0);
    }
}
