//! S-18: whatever takes a way in from somebody takes it at once, from every session that came by it
//! and from every login that would. Random sequences, held against a simple model.
//! `PORTCULLIS_SEQUENCES` runs as many as wanted.

use crate::entities::auth_policies::{made, patch as merge_policy, policy};
use crate::support::credentials::authenticator_of;
use crate::support::idp::{Idp, log_in_with, patch_signer};
use crate::support::naive::Dice;
use crate::support::third_party::{self, Authority, common_name_claim};
use crate::support::{
    create, current_session, disable_identity, log_in, log_in_by_certificate, ott_enrollment,
    pending_enrollment, redeem, text,
};
use http::Method;
use portcullis_pki::{Certificate, certificates_from_pem};
use portcullis_testkit::{Harness, PASSWORD, Reply, client_key_and_csr};
use serde_json::json;

/// When enrollments end: not within a sequence.
const LATER: &str = "2031-04-06T00:00:00.000Z";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Password,
    Certificate,
    /// A certificate of a third party that names the external id.
    ThirdParty,
    /// A token of an external signer.
    Token,
}

const WAYS: [Way; 4] = [Way::Password, Way::Certificate, Way::ThirdParty, Way::Token];

/// Somebody with all ways in, as the model knows them.
struct User {
    name: String,
    id: String,
    policy: String,
    chain: Vec<Certificate>,
    foreign: Vec<Certificate>,
    exists: bool,
    is_disabled: bool,
    /// Whether it has its password, its certificate.
    has: [bool; 2],
    /// What its policy allows: passwords, certificates, tokens.
    allows: [bool; 3],
}

struct Session {
    token: String,
    user: usize,
    way: Way,
    is_over: bool,
}

/// An enrollment that nobody has redeemed.
struct Pending {
    id: String,
    token: String,
    user: usize,
    is_over: bool,
}

struct World {
    controller: Harness,
    admin: String,
    idp: Idp,
    signer: String,
    ca: String,
    users: Vec<User>,
    sessions: Vec<Session>,
    pending: Vec<Pending>,
    csr: String,
    is_ca_open: bool,
    is_signer_open: bool,
    /// The claim that the signer finds holders by.
    claim: &'static str,
    /// How often terms were changed.
    changes: usize,
}

impl World {
    async fn new(users: usize) -> Self {
        let controller = Harness::start().await;
        let admin = controller.admin().await;
        let idp = Idp::new(&controller, "idp");
        let signer = idp.register(&controller, &admin, json!({})).await;
        let authority = Authority::root("third party");
        let claim = common_name_claim();
        let ca = third_party::add(&controller, &admin, ("ca", &authority), claim).await;
        let mut world = Self {
            controller,
            admin,
            idp,
            signer,
            ca,
            users: Vec::new(),
            sessions: Vec::new(),
            pending: Vec::new(),
            csr: client_key_and_csr().1,
            is_ca_open: true,
            is_signer_open: true,
            claim: "/sub",
            changes: 0,
        };
        for number in 0..users {
            let user = world.make(&format!("user-{number}"), &authority).await;
            world.users.push(user);
        }
        world
    }

    async fn make(&self, name: &str, authority: &Authority) -> User {
        let (controller, admin) = (&self.controller, &self.admin);
        let policy = made(controller, admin, &policy(name)).await;
        let more = json!({"authPolicyId": policy, "externalId": name});
        let mut how = ott_enrollment();
        crate::support::merge(&mut how, more);
        let id = create(controller, admin, name, how).await;
        let token = pending_enrollment(controller, admin, &id, "ott").await;
        let (_key, csr) = client_key_and_csr();
        let reply = redeem(controller, text(&token, "token"), &csr).await;
        let chain = certificates_from_pem(text(&reply.data(), "cert")).unwrap();
        let body = json!({
            "method": "updb", "identityId": id, "username": name, "password": PASSWORD,
        });
        let request = controller.manage(Method::POST, "/authenticators", admin);
        request.json(&body).send().await.id();
        User {
            name: name.to_owned(),
            id,
            policy,
            chain,
            foreign: authority.chain(name),
            exists: true,
            is_disabled: false,
            has: [true; 2],
            allows: [true; 3],
        }
    }

    /// Whether a way is open to somebody.
    fn is_open(&self, user: usize, way: Way) -> bool {
        let user = &self.users[user];
        let [password, certificate] = user.has;
        let [passwords, certificates, tokens] = user.allows;
        user.exists
            && !user.is_disabled
            && match way {
                Way::Password => password && passwords,
                Way::Certificate => certificate && certificates,
                Way::ThirdParty => certificates && self.is_ca_open,
                Way::Token => tokens && self.is_signer_open,
            }
    }

    async fn enter(&self, user: usize, way: Way) -> Reply {
        let user = &self.users[user];
        match way {
            Way::Password => log_in(&self.controller, &user.name).await,
            Way::Certificate => log_in_by_certificate(&self.controller, &user.chain).await,
            Way::ThirdParty => log_in_by_certificate(&self.controller, &user.foreign).await,
            Way::Token => {
                let token = self.idp.token(&self.controller, &user.name);
                log_in_with(&self.controller, &[&token]).await
            },
        }
    }

    /// Logs in, or is refused, as the model says.
    async fn log_in(&mut self, user: usize, way: Way) {
        let reply = self.enter(user, way).await;
        if self.is_open(user, way) {
            assert_eq!(reply.status, 200, "{user} by {way:?}: {}", reply.text());
            let token = text(&reply.data(), "token").to_owned();
            self.sessions.push(Session {
                token,
                user,
                way,
                is_over: false,
            });
        } else {
            assert_eq!(reply.status, 401, "{user} by {way:?}: {}", reply.text());
        }
    }

    fn end(&mut self, whose: impl Fn(&Session) -> bool) {
        for session in self.sessions.iter_mut().filter(|one| whose(one)) {
            session.is_over = true;
        }
    }

    /// Something happens; answers what.
    async fn happen(&mut self, dice: &mut Dice) -> String {
        let user = dice.roll(self.users.len());
        let on = dice.one_in(2);
        match dice.roll(16) {
            0..=4 => {
                let way = *dice.pick(&WAYS);
                self.log_in(user, way).await;
                format!("{user} comes by {way:?}")
            },
            5 => self.switch(user, on).await,
            6 | 7 => self.change_policy(user, dice.roll(3), on).await,
            8 => self.lose_credential(user, dice.roll(2), dice).await,
            9 => {
                // A merge without the claim takes it away.
                let body = json!({"isAuthEnabled": on, "externalIdClaim": {}});
                let reply = third_party::patch(&self.controller, &self.admin, &self.ca, body).await;
                assert_eq!(reply.status, 200);
                self.is_ca_open = on;
                format!("the authority is open: {on}")
            },
            10 => {
                let body = json!({"enabled": on});
                let reply = patch_signer(&self.controller, &self.admin, &self.signer, body).await;
                assert_eq!(reply.status, 200);
                self.is_signer_open = on;
                format!("the signer is open: {on}")
            },
            11 => self.change_terms(on, dice.one_in(2)).await,
            12 | 13 => self.begin_enrollment(user).await,
            14 => self.end_enrollment(user, on).await,
            _ => self.leave(user, dice).await,
        }
    }

    /// The signer or the authority finds holders in another way, by which the same are found.
    async fn change_terms(&mut self, of_signer: bool, has_effect: bool) -> String {
        self.changes += 1;
        let mark = "x".repeat(self.changes);
        let reply = if of_signer {
            let change = if has_effect {
                // Claims at the top level can be named without the slash.
                let before = std::mem::replace(&mut self.claim, "/sub");
                if before == "/sub" {
                    self.claim = "sub";
                }
                json!({"claimsProperty": self.claim})
            } else {
                json!({"clientId": mark, "tags": {"mark": mark}})
            };
            patch_signer(&self.controller, &self.admin, &self.signer, change).await
        } else {
            let claim = if has_effect {
                // Whatever stands here, the whole name is taken.
                json!({"matcherCriteria": mark})
            } else {
                json!({})
            };
            let body = json!({"tags": {"mark": mark}, "externalIdClaim": claim});
            third_party::patch(&self.controller, &self.admin, &self.ca, body).await
        };
        assert_eq!(reply.status, 200, "{}", reply.text());
        let way = if of_signer {
            Way::Token
        } else {
            Way::ThirdParty
        };
        self.end(|session| has_effect && session.way == way);
        format!("the terms of {way:?} change: {has_effect}")
    }

    async fn switch(&mut self, user: usize, on: bool) -> String {
        if !self.users[user].exists {
            return "nobody is switched".to_owned();
        }
        let id = &self.users[user].id;
        if on {
            let path = format!("/identities/{id}/enable");
            let request = self.controller.manage(Method::POST, &path, &self.admin);
            request.send().await.data();
        } else {
            disable_identity(&self.controller, &self.admin, id).await;
            self.end(|session| session.user == user);
        }
        self.users[user].is_disabled = !on;
        format!("{user} is enabled: {on}")
    }

    async fn change_policy(&mut self, user: usize, which: usize, on: bool) -> String {
        let name = ["updb", "cert", "extJwt"][which];
        let body = json!({"primary": {name: {"allowed": on}}});
        let policy = &self.users[user].policy;
        let reply = merge_policy(&self.controller, &self.admin, policy, body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        self.users[user].allows[which] = on;
        format!("the policy of {user} allows {name}: {on}")
    }

    async fn lose_credential(&mut self, user: usize, which: usize, dice: &mut Dice) -> String {
        let one = &self.users[user];
        if !one.exists || !one.has[which] || !dice.one_in(2) {
            return "nothing is lost".to_owned();
        }
        let method = ["updb", "cert"][which];
        let id = authenticator_of(&self.controller, &self.admin, &one.id, method).await;
        let path = format!("/authenticators/{id}");
        let request = self.controller.manage(Method::DELETE, &path, &self.admin);
        request.send().await.data();
        self.users[user].has[which] = false;
        let way = [Way::Password, Way::Certificate][which];
        self.end(|session| session.user == user && session.way == way);
        format!("{user} loses {method}")
    }

    /// The enrollment of somebody that can be redeemed, or could if they were enabled.
    fn enrollment(&self, user: usize) -> Option<usize> {
        let of_user = |one: &Pending| one.user == user && !one.is_over;
        self.pending.iter().position(of_user)
    }

    async fn begin_enrollment(&mut self, user: usize) -> String {
        let one = &self.users[user];
        if !one.exists || self.enrollment(user).is_some() {
            return "nothing begins".to_owned();
        }
        let body = json!({"identityId": one.id, "method": "ott", "expiresAt": LATER});
        let request = self
            .controller
            .manage(Method::POST, "/enrollments", &self.admin);
        let id = request.json(&body).send().await.id();
        let token = self.token_of(user).await;
        self.pending.push(Pending {
            id,
            token,
            user,
            is_over: false,
        });
        format!("an enrollment of {user} begins")
    }

    async fn token_of(&self, user: usize) -> String {
        let id = &self.users[user].id;
        let enrollment = pending_enrollment(&self.controller, &self.admin, id, "ott").await;
        text(&enrollment, "token").to_owned()
    }

    /// It is deleted, or gets another token.
    async fn end_enrollment(&mut self, user: usize, is_refreshed: bool) -> String {
        let Some(number) = self.enrollment(user).filter(|_| self.users[user].exists) else {
            return "no enrollment ends".to_owned();
        };
        let id = self.pending[number].id.clone();
        self.pending[number].is_over = true;
        let (method, path, body) = if is_refreshed {
            let path = format!("/enrollments/{id}/refresh");
            (Method::POST, path, json!({"expiresAt": LATER}))
        } else {
            (Method::DELETE, format!("/enrollments/{id}"), json!({}))
        };
        let request = self.controller.manage(method, &path, &self.admin);
        request.json(&body).send().await.data();
        if is_refreshed {
            let token = self.token_of(user).await;
            self.pending.push(Pending {
                id,
                token,
                user,
                is_over: false,
            });
        }
        format!("the enrollment of {user} ends, with another one: {is_refreshed}")
    }

    fn is_redeemable(&self, pending: &Pending) -> bool {
        let user = &self.users[pending.user];
        !pending.is_over && user.exists && !user.is_disabled
    }

    /// A session ends, or now and then a whole identity.
    async fn leave(&mut self, user: usize, dice: &mut Dice) -> String {
        if dice.one_in(8) && self.users[user].exists {
            let path = format!("/identities/{}", self.users[user].id);
            let request = self.controller.manage(Method::DELETE, &path, &self.admin);
            request.send().await.data();
            self.users[user].exists = false;
            return format!("{user} is deleted");
        }
        let live: Vec<_> = (0..self.sessions.len())
            .filter(|&number| self.is_live(&self.sessions[number]))
            .collect();
        if live.is_empty() {
            return "nobody leaves".to_owned();
        }
        let number = *dice.pick(&live);
        let own = self
            .controller
            .request(Method::DELETE, "/current-api-session")
            .session(&self.sessions[number].token);
        own.send().await.data();
        self.sessions[number].is_over = true;
        format!("session {number} leaves")
    }

    fn is_live(&self, session: &Session) -> bool {
        !session.is_over && self.is_open(session.user, session.way)
    }

    /// Every session is what the model says.
    async fn check(&self, history: &[String]) {
        for (number, session) in self.sessions.iter().enumerate() {
            let expected = if self.is_live(session) { 200 } else { 401 };
            let reply = current_session(&self.controller, &session.token).await;
            assert_eq!(
                reply.status, expected,
                "session {number} of {} by {:?} after {history:#?}",
                session.user, session.way
            );
        }
        for pending in self.pending.iter().filter(|one| !self.is_redeemable(one)) {
            let reply = redeem(&self.controller, &pending.token, &self.csr).await;
            assert!(
                reply.status.is_client_error(),
                "an enrollment of {} is redeemed after {history:#?}",
                pending.user
            );
        }
    }

    /// What can be redeemed is, once.
    async fn redeem_all(&self, history: &[String]) {
        for pending in self.pending.iter().filter(|one| self.is_redeemable(one)) {
            for status in [200, 400] {
                let reply = redeem(&self.controller, &pending.token, &self.csr).await;
                let what = format!("an enrollment of {} after {history:#?}", pending.user);
                assert_eq!(reply.status, status, "{what}: {}", reply.text());
            }
        }
    }
}

fn sequences() -> u64 {
    std::env::var("PORTCULLIS_SEQUENCES").map_or(3, |count| count.parse().unwrap())
}

#[tokio::test]
async fn what_is_taken_away_is_gone_at_once() {
    for seed in 0..sequences() {
        let mut dice = Dice(seed);
        let mut world = World::new(3).await;
        for user in 0..world.users.len() {
            for way in WAYS {
                world.log_in(user, way).await;
            }
        }
        let mut history = vec![format!("seed {seed}")];
        for _ in 0..40 {
            let what = world.happen(&mut dice).await;
            history.push(what);
            world.check(&history).await;
        }
        for user in 0..world.users.len() {
            for way in WAYS {
                world.log_in(user, way).await;
            }
        }
        world.redeem_all(&history).await;
    }
}
