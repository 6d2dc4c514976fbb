//! What nobody may reach in the search, however it got there.

use super::attempts::Attacker;
use super::prey::Prey;
use crate::access::reading::Outstanding;
use crate::support::{current_session, get, log_in_by_certificate, text};
use http::Method;
use portcullis_domain::permission::{PermissionSet, Subject, Verb};
use portcullis_pki::certificates_from_pem;
use portcullis_testkit::Harness;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How everything stood before.
pub(super) struct Goals {
    /// Those whom the attacker must not become, by id: what lets them in, and what they may do.
    guarded: BTreeMap<String, Value>,
    /// What the attacker may do.
    attacker: Value,
    prey: Prey,
    /// The signers, by id, with what counts about them.
    signers: BTreeMap<String, Value>,
    /// The authorities that let clients in, by id, with what counts about them.
    authorities: BTreeMap<String, Value>,
    reach: Reach,
}

/// Whom the attacker may become by right: nobody who may do more than it does.
struct Reach {
    permissions: PermissionSet,
    /// Whether it may only read: then nobody else's way in is for it.
    only_reads: bool,
}

impl Reach {
    fn new(permissions: &[String]) -> Self {
        let is_read = |name: &str| name.split_once('.').is_some_and(|(_, verb)| verb == "read");
        let reads = |name: &String| name == "admin_readonly" || is_read(name);
        Self {
            permissions: PermissionSet::from_names(permissions).unwrap(),
            only_reads: permissions.iter().all(reads),
        }
    }

    /// Whether an identity, as an answer shows it, may be anybody that the attacker may enroll.
    fn holds(&self, identity: &Value) -> bool {
        let held = identity["permissions"].as_array().into_iter().flatten();
        let held: Vec<&str> = held.map(|name| name.as_str().unwrap()).collect();
        let held = PermissionSet::from_names(held).unwrap();
        !self.only_reads && !is_administrator(identity) && self.permissions.covers(&held)
    }

    /// Whether the attacker may have tokens of enrollments made anew, and so be told them.
    fn draws(&self, what: &str) -> bool {
        let is_of_router = what.ends_with("erott") || what.ends_with("trott");
        let subject = if is_of_router {
            Subject::Router
        } else {
            Subject::Enrollment
        };
        let may = |verb| self.permissions.grants(subject, verb);
        may(Verb::Update) || (!is_of_router && may(Verb::Create))
    }
}

impl Goals {
    pub(super) async fn new(
        network: &Outstanding,
        prey: Prey,
        attacker: &str,
        permissions: &[String],
    ) -> Self {
        let (controller, admin) = (&network.stage.controller, &network.stage.admin);
        let reach = Reach::new(permissions);
        Self {
            guarded: guarded(controller, admin, (attacker, &reach)).await,
            attacker: rights(controller, admin, attacker).await,
            prey,
            signers: signers(controller, admin).await,
            authorities: authorities(controller, admin).await,
            reach,
        }
    }

    /// Ids of those whom the attacker must not become, and who are worth it first.
    pub(super) fn tempting(&self) -> impl Iterator<Item = String> {
        let holds_rights = |one: &Value| {
            is_administrator(one)
                || one["permissions"]
                    .as_array()
                    .is_some_and(|held| !held.is_empty())
        };
        let mut ids: Vec<_> = self.guarded.iter().collect();
        ids.sort_by_key(|(_, one)| !holds_rights(one));
        ids.into_iter().map(|(id, _)| id.clone())
    }

    /// Checks that nothing was reached by what was answered.
    pub(super) async fn check(
        &self,
        network: &Outstanding,
        attacker: &Attacker,
        answers: &[String],
    ) {
        let (controller, admin) = (&network.stage.controller, &network.stage.admin);
        for session in [admin, &self.prey.session] {
            let current = current_session(controller, session).await;
            assert_eq!(current.status, 200, "administrators stay");
        }
        let guarded = guarded(controller, admin, (&attacker.id, &self.reach)).await;
        for (id, before) in &self.guarded {
            let now = guarded.get(id);
            // Others than administrators may be deleted by those who may delete.
            let is_gone = now.is_none() && !is_administrator(before) && !self.reach.only_reads;
            assert!(is_gone || now == Some(before), "{before} became {now:?}");
        }
        for (id, risen) in &guarded {
            // Readers are kept from everybody, and make nobody.
            assert!(self.guarded.contains_key(id), "{risen} came up");
        }
        assert_eq!(rights(controller, admin, &attacker.id).await, self.attacker);
        self.check_trust(controller, admin).await;
        for answer in answers {
            self.check_answer(network, attacker, answer);
        }
        for told in &attacker.told {
            let opened = whose(controller, told).await;
            let is_own = opened["id"] == attacker.id.as_str();
            assert!(
                opened.is_null() || is_own || self.reach.holds(&opened),
                "{told}: {opened}"
            );
        }
        self.check_ways_in(controller, attacker).await;
    }

    /// Checks that whoever vouched for others still does, as before, and nobody else.
    async fn check_trust(&self, controller: &Harness, admin: &str) {
        let now = signers(controller, admin).await;
        for (id, before) in &self.signers {
            assert_eq!(now.get(id), Some(before), "a signer changed");
        }
        for (id, signer) in &now {
            let is_known = self.signers.contains_key(id);
            assert!(is_known || signer["enabled"] == false, "{signer} counts");
        }
        let now = authorities(controller, admin).await;
        for (id, before) in &self.authorities {
            assert_eq!(now.get(id), Some(before), "an authority changed");
        }
        for (id, authority) in &now {
            let is_known = self.authorities.contains_key(id);
            let names_nobody = !authority["externalIdClaim"].is_object();
            assert!(is_known || names_nobody, "{authority} counts");
        }
    }

    fn check_answer(&self, network: &Outstanding, attacker: &Attacker, answer: &str) {
        for (what, secret) in &network.secrets {
            let is_of_enrollment = network.of_enrollments.contains(secret);
            let is_others = secret != &attacker.token;
            let is_granted = is_of_enrollment && self.reach.draws(what);
            assert!(
                !is_others || is_granted || !answer.contains(secret),
                "the {what} is told: {answer}"
            );
        }
        for (holder, secret) in &self.prey.enrollments {
            let is_granted = self.reach.holds(holder) && self.reach.draws("ott");
            assert!(
                is_granted || !answer.contains(secret),
                "the token of {holder} is told: {answer}"
            );
        }
        let server = &network.stage.controller.server;
        for (start, _) in answer.match_indices("-----BEGIN CERTIFICATE-----") {
            let pem = answer[start..].replace("\\n", "\n").replace("\\r", "");
            let end = pem.find("-----END CERTIFICATE-----").unwrap() + 25;
            let leaf = &certificates_from_pem(&pem[..end]).unwrap()[0];
            let names = ["ctrl.example.test", "192.0.2.7"];
            let is_named = names
                .iter()
                .any(|name| leaf.covers_host(name) || leaf.common_name().as_deref() == Some(name));
            let is_ours = !attacker.authority.certificate.names_as_issuer(leaf)
                && !leaf.names_as_issuer(&attacker.authority.certificate);
            assert!(
                !is_named || leaf == server || !is_ours,
                "{leaf:?} in {answer}"
            );
        }
    }

    /// Tries to log in as those who are guarded with the keys that the attacker has.
    async fn check_ways_in(&self, controller: &Harness, attacker: &Attacker) {
        for (id, guarded) in &self.guarded {
            let external = guarded["externalId"].as_str().unwrap_or(id);
            for subject in [id, external] {
                let jwt = attacker.idp.token(controller, subject);
                let path = "/edge/client/v1/authenticate?method=ext-jwt";
                let request = controller.request(Method::POST, path);
                let bearer = format!("Bearer {jwt}");
                let request = request.header("authorization", &bearer).json(&json!({}));
                let reply = request.send().await;
                assert_eq!(reply.status, 401, "a token opens {guarded}");
                let chain = attacker.authority.chain(subject);
                let reply = log_in_by_certificate(controller, &chain).await;
                if reply.status == 200 {
                    assert_ne!(reply.data()["identityId"], json!(id), "{guarded}");
                }
            }
        }
    }
}

/// Whether somebody is an administrator, as an answer shows it.
fn is_administrator(identity: &Value) -> bool {
    let [appointed, born] = ["isAdmin", "isDefaultAdmin"].map(|name| identity[name].as_bool());
    appointed.unwrap() || born.unwrap()
}

/// Whose session a text opens; `null` if it opens none.
async fn whose(controller: &Harness, token: &str) -> Value {
    let path = "/edge/client/v1/current-identity";
    let request = controller.request(Method::GET, path).session(token);
    let reply = request.send().await;
    if reply.status == 200 {
        reply.data()
    } else {
        Value::Null
    }
}

/// Those whom the attacker must not become, with what lets them in: administrators, and whoever may do
/// what it may not.
async fn guarded(
    controller: &Harness,
    admin: &str,
    (attacker, reach): (&str, &Reach),
) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    for one in list(controller, admin, "/identities").await {
        let id = text(&one, "id").to_owned();
        if id == attacker || reach.holds(&one) {
            continue;
        }
        let of = async |what: &str| {
            let path = format!("/identities/{id}/{what}");
            let mut all = get(controller, admin, &path).await.data();
            for one in all.as_array_mut().unwrap() {
                // It has the name, which is no way in.
                one.as_object_mut().unwrap().remove("identity");
            }
            all
        };
        let mut entry = pick(
            &one,
            &[
                "externalId",
                "authPolicyId",
                "isMfaEnabled",
                "isAdmin",
                "isDefaultAdmin",
                "permissions",
            ],
        );
        if is_administrator(&one) || reach.only_reads {
            entry["disabled"] = one["disabled"].clone();
        }
        entry["authenticators"] = of("authenticators").await;
        entry["enrollments"] = of("enrollments").await;
        all.insert(id, entry);
    }
    all
}

async fn rights(controller: &Harness, admin: &str, id: &str) -> Value {
    let shown = crate::support::read(controller, admin, id).await;
    json!([
        shown["isAdmin"],
        shown["isDefaultAdmin"],
        shown["permissions"]
    ])
}

async fn list(controller: &Harness, admin: &str, path: &str) -> Vec<Value> {
    let path = format!("{path}?filter=true%20limit%20none");
    let data = get(controller, admin, &path).await.data();
    data.as_array().unwrap().clone()
}

fn pick(one: &Value, members: &[&str]) -> Value {
    let members = members.iter();
    members
        .map(|name| ((*name).to_owned(), one[*name].clone()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// The signers, with all that machines go by.
async fn signers(controller: &Harness, admin: &str) -> BTreeMap<String, Value> {
    let counts = [
        "enabled",
        "issuer",
        "audience",
        "certPem",
        "jwksEndpoint",
        "kid",
        "useExternalId",
        "claimsProperty",
        "externalAuthUrl",
        "clientId",
        "scopes",
        "targetToken",
    ];
    let all = list(controller, admin, "/external-jwt-signers").await;
    all.iter()
        .map(|one| (text(one, "id").to_owned(), pick(one, &counts)))
        .collect()
}

/// The authorities whose certificates let clients in.
async fn authorities(controller: &Harness, admin: &str) -> BTreeMap<String, Value> {
    let all = list(controller, admin, "/cas").await;
    all.iter()
        .filter(|one| one["isVerified"] == true && one["isAuthEnabled"] == true)
        .map(|one| {
            let counts = pick(one, &["certPem", "externalIdClaim"]);
            (text(one, "id").to_owned(), counts)
        })
        .collect()
}
