//! Authenticators.

use super::identities::Identities;
use super::{Comparison, fill, found, name, stored_tags, tick};
use crate::support::naive::{Dice, Symbol};
use crate::support::{modify_store, text};
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_storage::tables::{AUTHENTICATOR, Found, UniqueIndex};
use portcullis_testkit::{ADMIN, Harness};
use serde_json::Value;

const AUTHENTICATORS: &[Symbol] = &symbols! {
    "method": Text = "/method";
    "identity": Text = "/identityId";
    "certFingerprint": Text = "/fingerprint";
    "certPem": Text = "/certPem";
    "updbUsername": Text = "/username";
    "isIssuedByNetwork": Boolean = |row| match text(row, "method") {
        // Left out of what is shown where it is false.
        "cert" => (row["isIssuedByNetwork"] == true).into(),
        _ => Value::Null,
    };
};

/// Gives an identity one more authenticator, which nobody could log in with.
async fn add_authenticator(controller: &Harness, dice: &mut Dice, owner: &str, number: usize) {
    let (owner, tags) = (owner.to_owned(), stored_tags(dice));
    let is_certificate = dice.one_in(2);
    let is_ours = dice.one_in(2);
    let username = name(dice, number);
    let key = controller.engine.allocate(AUTHENTICATOR);
    let now = controller.app.env().now();
    modify_store(controller, move |rows| {
        let owner: Found<Identity> = found(rows, UniqueIndex::IdentityId, &owner);
        let mut one: Authenticator =
            found::<Authenticator>(rows, UniqueIndex::AuthenticatorUsername, ADMIN).entity;
        one.id = AuthenticatorId::from_wire(format!("a{number:03}"));
        (one.created_at, one.updated_at) = (now, now);
        one.tags = tags.clone();
        one.identity = owner.entity.id.clone();
        match &mut one.credential {
            Credential::Updb(updb) if !is_certificate => updb.username.clone_from(&username),
            credential => {
                *credential = Credential::Cert(CertCredential::new(
                    format!("{:x}", number * 1_000_003),
                    format!("-----BEGIN-----\nn{number}\n-----END-----\n"),
                    is_ours,
                ));
            },
        }
        let key = owner.key.dependent(AUTHENTICATOR, key);
        rows.insert(&key, &one).unwrap();
        let mut after = owner.entity.clone();
        after.attached.authenticators += 1;
        rows.replace(&owner.key, &owner.entity, &after).unwrap();
    })
    .await;
}

#[tokio::test]
async fn authenticators_are_what_a_simple_reading_finds() {
    let seed = 21;
    let controller = Harness::start().await;
    let admin = controller.admin().await;
    let mut dice = Dice(seed);
    let mut identities = Identities::begin(&controller, &admin, &mut dice, 20).await;
    fill(&controller, &mut dice, 80, async |dice, number| {
        let owner = dice.pick(&identities.ids).clone();
        add_authenticator(&controller, dice, &owner, number).await;
    })
    .await;
    let comparison = Comparison {
        controller: &controller,
        admin: &admin,
        path: "/authenticators",
        symbols: AUTHENTICATORS,
    };
    let mut number = 80;
    comparison
        .run(seed, 200, async |dice| {
            tick(&controller, dice);
            number += 1;
            match dice.roll(4) {
                // Takes its authenticators with it.
                0 if dice.one_in(3) => identities.change(dice).await,
                0 => {
                    let all = comparison.rows().await;
                    let username = all.iter().find_map(|row| row["username"].as_str());
                    if let Some(before) = username.filter(|name| *name != ADMIN) {
                        let (before, after) = (before.to_owned(), name(dice, number));
                        modify_store(&controller, move |rows| {
                            let one: Found<Authenticator> =
                                found(rows, UniqueIndex::AuthenticatorUsername, &before);
                            let mut changed = one.entity.clone();
                            if let Credential::Updb(updb) = &mut changed.credential {
                                updb.username.clone_from(&after);
                            }
                            rows.replace(&one.key, &one.entity, &changed).unwrap();
                        })
                        .await;
                    }
                },
                _ if identities.ids.is_empty() => identities.make(dice).await,
                _ => {
                    let owner = dice.pick(&identities.ids).clone();
                    add_authenticator(&controller, dice, &owner, number).await;
                },
            }
        })
        .await;
}
