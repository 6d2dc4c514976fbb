//! A search for ways up. A caller with some permission sends whatever its operations take, over and
//! over, each time with everything that it was told before. However it goes about it, it ends as no
//! administrator, and with nothing that is an administrator's or the controller's.
//!
//! The operations are those of the table of routes, and what their bodies may hold is read from the
//! description that the controller gives of itself: a new operation or member is searched as well.

mod attempts;
mod goals;
mod prey;

use crate::access::reading::Outstanding;
use crate::enrollment::races::at_once;
use crate::support::{create, find_identity_id, merge, send};
pub(crate) use attempts::members;

use attempts::Attacker;
use goals::Goals;
use http::Method;
use portcullis_domain::permission::{Permission, Verb};
use portcullis_testkit::Harness;
use prey::Prey;
use serde_json::json;
use std::sync::Arc;

/// How far a search goes.
#[derive(Clone, Copy)]
struct Extent {
    /// Rounds: what is learned in one is used in the next.
    rounds: usize,
    /// Most ids of each list that operations are tried with, besides those of the tempting.
    of_each: usize,
}

const WIDE: Extent = Extent {
    rounds: 3,
    of_each: usize::MAX,
};
const NARROW: Extent = Extent {
    rounds: 2,
    of_each: 2,
};

/// Searches with these permissions; answers how many requests were sent and how many of them succeeded.
async fn search(permissions: &[String], extent: Extent) -> (usize, usize) {
    let network = Outstanding::new().await;
    let controller = &network.stage.controller;
    let admin = &network.stage.admin;
    let prey = Prey::new(controller, admin).await;
    let token = controller
        .create_user(admin, "attacker", json!({"permissions": permissions}))
        .await;
    let id = find_identity_id(controller, admin, "attacker").await;
    let goals = Goals::new(&network, prey, &id, permissions).await;
    let mut attacker = Attacker::new(controller, id, token, permissions).await;
    attacker.tempting = goals.tempting().take(5).collect();
    attacker.learn_ids(controller, admin, extent.of_each).await;
    for round in 0..extent.rounds {
        // What takes things away comes last: it leads to nothing that could be used.
        let before = attacker.succeeded;
        let is_last = round + 1 == extent.rounds;
        let answers = attacker.round((controller, admin), is_last).await;
        let succeeded = attacker.succeeded - before;
        assert!(succeeded > 20, "round {round} has {succeeded} successes");
        goals.check(&network, &attacker, &answers).await;
    }
    (attacker.sent, attacker.succeeded)
}

/// The names of those of the permissions for which `is_wanted`.
fn permissions(is_wanted: impl Fn(Permission) -> bool) -> Vec<String> {
    Permission::grantable()
        .filter(|permission| is_wanted(*permission))
        .map(|permission| permission.to_string())
        .collect()
}

/// The ordinary run goes by whole subjects; this tells which permission it was, and is run with
/// `PORTCULLIS_SEARCH_ALL`.
#[tokio::test]
async fn no_single_permission_leads_up() {
    if std::env::var_os("PORTCULLIS_SEARCH_ALL").is_none() {
        return;
    }
    for permission in Permission::grantable() {
        let (sent, succeeded) = search(&[permission.to_string()], WIDE).await;
        eprintln!("{permission}: {sent} sent, {succeeded} succeeded");
    }
}

/// Whatever any two permissions lead to together, all of them lead to. They do not lead to everybody
/// who is above somebody, since nobody but administrators is above all of them: so there are the
/// others.
#[tokio::test]
async fn all_permissions_together_lead_to_no_administrator() {
    let all = permissions(|_any| true);
    let (sent, succeeded) = search(&all, WIDE).await;
    assert!(
        sent > 1000 && succeeded > 100,
        "{sent} sent, {succeeded} good"
    );
}

#[tokio::test]
async fn reading_leads_to_nobody() {
    let reading = permissions(|permission| matches!(permission, Permission::One(_, Verb::Read)));
    for permissions in [vec!["admin_readonly".to_owned()], reading] {
        search(&permissions, NARROW).await;
    }
}

/// Half of the subjects, each by itself: nobody comes up to those that have another one.
async fn by_themselves(half: usize) {
    let subjects = permissions(|permission| matches!(permission, Permission::All(_)));
    for (_, subject) in (0..).zip(subjects).filter(|(place, _)| place % 2 == half) {
        search(&[subject], NARROW).await;
    }
}

#[tokio::test]
async fn no_subject_by_itself_leads_up() {
    Box::pin(by_themselves(0)).await;
}

#[tokio::test]
async fn no_other_subject_by_itself_leads_up() {
    Box::pin(by_themselves(1)).await;
}

/// Nobody comes up between two looks at what it may do.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rights_do_not_grow_while_they_are_taken_away_and_given_at_once() {
    const MANY: usize = 256;
    let controller = Arc::new(Harness::start().await);
    let admin = controller.admin().await;
    let granted = json!({"permissions": ["identity", "enrollment"]});
    let helper = controller.create_user(&admin, "helper", granted).await;
    let own = find_identity_id(&controller, &admin, "helper").await;
    let peer = create(&controller, &admin, "peer", json!({})).await;
    let replies = at_once(MANY, |number| {
        let (controller, admin, helper) = (controller.clone(), admin.clone(), helper.clone());
        let (own, peer) = (own.clone(), peer.clone());
        async move {
            // One in four is an administrator that lowers and raises the helper within its limits.
            let (token, id, mut body) = match number % 4 {
                0 if number % 8 == 0 => (&admin, &own, json!({"permissions": ["identity"]})),
                0 => (
                    &admin,
                    &own,
                    json!({"permissions": ["identity", "enrollment"]}),
                ),
                1 => (&helper, &own, json!({"isAdmin": true})),
                2 => (&helper, &own, json!({"permissions": ["ca", "identity"]})),
                _ => (
                    &helper,
                    &peer,
                    json!({"permissions": ["identity"], "isAdmin": true}),
                ),
            };
            merge(&mut body, json!({"tags": {"number": number}}));
            let path = format!("/identities/{id}");
            let reply = send(&controller, token, (Method::PATCH, &path), &body).await;
            (number, reply)
        }
    })
    .await;
    for (number, reply) in &replies {
        let expected = if number % 4 == 0 { 200 } else { 401 };
        assert_eq!(reply.status, expected, "{number}: {}", reply.text());
    }
    for (id, held) in [
        (
            &own,
            vec![json!(["identity"]), json!(["identity", "enrollment"])],
        ),
        (&peer, vec![json!(null), json!([])]),
    ] {
        let shown = crate::support::read(&controller, &admin, id).await;
        assert_eq!(shown["isAdmin"], false, "{shown}");
        let is_fine = held.iter().any(|held| {
            let sorted = |list: &serde_json::Value| {
                let mut names = list.as_array().cloned().unwrap_or_default();
                names.sort_by_key(ToString::to_string);
                names
            };
            sorted(&shown["permissions"]) == sorted(held)
        });
        assert!(is_fine, "{shown}");
    }
}
