//! API sessions.

use super::identities::Identities;
use super::{Comparison, fill, found, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::{get, modify_store};
use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, IdentityId};
use portcullis_storage::tables::{API_SESSION, Found, UniqueIndex};
use portcullis_testkit::{ADMIN, Harness};

const API_SESSIONS: &[Symbol] = &symbols! {
    "identity": Text = "/identityId";
    "lastActivityAt": Time = "/cachedLastActivityAt";
    "authenticator": Text = "/authenticatorId";
    "ipAddress": Text = "/ipAddress";
    "mfaComplete": Boolean = "/isMfaComplete";
    "mfaRequired": Boolean = "/isMfaRequired";
    "improperClientCertChain": Boolean = |row| (row["improperClientCertChain"] == true).into();
};

/// Gives an identity one more session, whose token nobody knows.
async fn add_session(controller: &Harness, dice: &mut Dice, owner: &str, number: usize) {
    let owner = owner.to_owned();
    let flags = [dice.one_in(2), dice.one_in(2), dice.one_in(3)];
    let address = (*dice.pick(&["127.0.0.1", "10.0.0.12", "::1", "fe80::A"])).to_owned();
    let authenticator = format!("a{}", dice.roll(9));
    let key = controller.engine.allocate(API_SESSION);
    let now = controller.app.env().now();
    let used = now + SignedDuration::from_millis(i64::try_from(dice.roll(3)).unwrap());
    modify_store(controller, move |rows| {
        let owner: Found<Identity> = found(rows, UniqueIndex::IdentityId, &owner);
        let opened: Found<Identity> = found(rows, UniqueIndex::IdentityName, ADMIN);
        let present = rows.rows().dependents::<ApiSession>(&opened.key).unwrap();
        let mut session = present[0].entity.clone();
        session.id = ApiSessionId::from_wire(format!("s{number:03}"));
        session.token_hash = TokenHash((number as u128).to_be_bytes());
        (session.created_at, session.last_activity_at) = (now, used);
        session.identity = owner.entity.id.clone();
        session.opened_by =
            OpenedBy::Authenticator(AuthenticatorId::from_wire(authenticator.as_str()));
        session.ip_address.clone_from(&address);
        session.totp.is_required = flags[0];
        session.totp.passed_at = flags[1].then_some(now);
        session.improper_client_cert_chain = flags[2];
        let key = owner.key.dependent(API_SESSION, key);
        rows.insert(&key, &session).unwrap();
    })
    .await;
}

#[tokio::test]
async fn sessions_are_what_a_simple_reading_finds() {
    let seed = 41;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    let mut identities = Identities::begin(&controller, &admin, &mut dice, 15).await;
    fill(&controller, &mut dice, 80, async |dice, number| {
        let owner = dice.pick(&identities.ids).clone();
        add_session(&controller, dice, &owner, number).await;
    })
    .await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/api-sessions",
        symbols: API_SESSIONS,
    };
    let mut number = 80;
    comparison
        .run(seed, 200, async |dice| {
            // The caller's own session is used, and so changes, whenever the clock has moved.
            tick(&controller, dice);
            get(&controller, &admin, "/current-api-session").await;
            number += 1;
            if identities.ids.is_empty() || dice.one_in(6) {
                return identities.change(dice).await;
            }
            let owner = dice.pick(&identities.ids).clone();
            if dice.one_in(2) {
                return add_session(&controller, dice, &owner, number).await;
            }
            let owner = IdentityId::from_wire(owner);
            modify_store(&controller, move |rows| {
                let owner: Found<Identity> = found(rows, UniqueIndex::IdentityId, owner.as_str());
                let sessions = rows.rows().dependents::<ApiSession>(&owner.key).unwrap();
                for session in sessions.iter().take(1) {
                    rows.remove(&session.key, &session.entity).unwrap();
                }
            })
            .await;
        })
        .await;
}
