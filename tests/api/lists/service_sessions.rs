//! Lists of service sessions, which memory answers as far as it can, held against each session as it
//! is read by itself.

use crate::support::lists::{encode, pagination};
use crate::support::mfa::TestUser;
use crate::support::naive::Dice;
use crate::support::posture::PostureFixture;
use crate::support::{add_policy, edit_entity, find_identity_id, get, text};
use http::Method;
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::identity::{Disabled, Identity};
use portcullis_storage::tables::UniqueIndex;
use serde_json::{Value, json};

/// A stage with several people, services and sessions of each about all of them.
struct Crowd {
    stage: PostureFixture,
    /// Those who log in with certificates.
    people: Vec<TestUser>,
    /// The ids of these, and of somebody with a password.
    identities: Vec<String>,
    /// The tokens of the people's API sessions, some of which have ended.
    open: Vec<String>,
    services: Vec<String>,
    check: String,
    policies: Vec<String>,
    made: usize,
    /// The ids of all service sessions that were ever granted.
    granted: Vec<String>,
}

impl Crowd {
    async fn new() -> Self {
        let stage = PostureFixture::new().await;
        add_policy(&stage.controller, "closed", |policy| {
            policy.spec.primary.updb.allowed = false;
            policy.spec.primary.cert.allowed = false;
        })
        .await;
        let domain = json!({"typeId": "DOMAIN", "domains": ["a"]});
        let check = stage.check("domain", domain).await;
        let mut crowd = Self {
            people: Vec::new(),
            identities: Vec::new(),
            open: Vec::new(),
            services: vec![stage.service.clone()],
            check,
            policies: Vec::new(),
            made: 0,
            granted: Vec::new(),
            stage,
        };
        for name in ["shop", "bank"] {
            let service = json!({"name": name, "encryptionRequired": true});
            crowd
                .services
                .push(crowd.stage.create("/services", service).await);
        }
        for name in ["one", "two", "three"] {
            let stage = &crowd.stage;
            let person = TestUser::new(&stage.controller, &stage.admin, name).await;
            let another = person.log_in(&stage.controller).await;
            crowd.open.extend([person.session.clone(), another]);
            crowd.identities.push(person.id.clone());
            crowd.people.push(person);
        }
        let (controller, admin) = (&crowd.stage.controller, &crowd.stage.admin);
        crowd
            .open
            .push(controller.create_user(admin, "four", json!({})).await);
        crowd
            .identities
            .push(find_identity_id(controller, admin, "four").await);
        for grant in ["Dial", "Bind"] {
            crowd.grant(grant, (&["#all"], &["#all"]), false).await;
        }
        crowd.connect_all().await;
        crowd
    }

    async fn grant(&mut self, grant: &str, (who, what): (&[&str], &[&str]), is_checked: bool) {
        self.made += 1;
        let checks = is_checked.then(|| format!("@{}", self.check));
        let policy = json!({
            "name": format!("policy {}", self.made), "type": grant, "semantic": "AnyOf",
            "identityRoles": who, "serviceRoles": what,
            "postureCheckRoles": Vec::from_iter(checks),
        });
        let policy = self.stage.create("/service-policies", policy).await;
        self.policies.push(policy);
    }

    /// Asks for all that can be asked for.
    async fn connect_all(&mut self) {
        for session in &self.open {
            for service in &self.services {
                for grant in ["Dial", "Bind"] {
                    let tags = json!({"site": if grant == "Dial" { "b" } else { "a" }});
                    let body = json!({"serviceId": service, "type": grant, "tags": tags});
                    let reply = self.stage.post(session, "/sessions", &body).await;
                    if reply.status == 201 {
                        self.granted.push(reply.id());
                    }
                }
            }
        }
        self.granted.sort();
        self.granted.dedup();
    }

    /// The ids of the sessions that are there when each is asked for by itself.
    async fn there(&self) -> Vec<Value> {
        let mut there = Vec::new();
        for id in &self.granted {
            let path = format!("/sessions/{id}");
            let reply = get(&self.stage.controller, &self.stage.admin, &path).await;
            if reply.status == 200 {
                there.push(reply.data());
            } else {
                assert_eq!(reply.error(), (404, "NOT_FOUND".to_owned()));
            }
        }
        there.sort_by_key(|session| text(session, "id").to_owned());
        there
    }

    /// Asks for lists and compares them with what is there.
    async fn compare(&self, place: &str) {
        let there = self.there().await;
        for filter in [
            "true",
            "type = \"Bind\"",
            "not type = \"Dial\" or createdAt = null",
            "tags.site = \"a\"",
        ] {
            let is_meant = |session: &&Value| filter == "true" || session["type"] == "Bind";
            let expected: Vec<_> = there.iter().filter(is_meant).cloned().collect();
            for (offset, limit) in [(0, 500), (3, 5), (expected.len(), 2)] {
                let page: Vec<_> = expected.iter().skip(offset).take(limit).cloned().collect();
                // The token that is shown is the id; no column has it.
                for order in ["id", "token"] {
                    let path = format!(
                        "/sessions?filter={}&sort={order}&offset={offset}&limit={limit}",
                        encode(filter)
                    );
                    let reply = get(&self.stage.controller, &self.stage.admin, &path).await;
                    assert_eq!(reply.status, 200, "{place}: {}", reply.text());
                    assert_eq!(
                        pagination(&reply).2,
                        json!(expected.len()),
                        "{place}: {path}"
                    );
                    assert_eq!(reply.data(), json!(page), "{place}: {path}");
                }
            }
        }
    }

    /// Changes something on which grants depend.
    async fn change(&mut self, dice: &mut Dice) {
        let person = dice.pick(&self.identities).clone();
        let session = dice.pick(&self.open).clone();
        let stage = &self.stage;
        let identity = format!("/identities/{person}");
        match dice.roll(12) {
            0..=2 => {
                let who = [format!("@{person}"), "#all".to_owned()];
                let service = dice.pick(&self.services);
                let what = [format!("@{service}"), "#all".to_owned()];
                let (who, what) = (dice.pick(&who).clone(), dice.pick(&what).clone());
                let grant = dice.word(&["Dial", "Bind"]);
                let is_checked = !dice.one_in(3);
                self.grant(grant, (&[&who], &[&what]), is_checked).await;
            },
            3 | 4 if self.policies.len() > 1 => {
                let policy = self.policies.remove(dice.roll(self.policies.len()));
                let path = format!("/service-policies/{policy}");
                stage.administer(Method::DELETE, &path, &Value::Null).await;
            },
            5 | 6 => {
                let domain = dice.word(&["a", "a", "b"]);
                let report = json!({"id": self.check, "typeId": "DOMAIN", "domain": domain});
                stage.post(&session, "/posture-response", &report).await;
            },
            7 => {
                // The API would end the sessions.
                let at = stage.controller.app.env().now();
                let until = at + SignedDuration::from_hours(24 * 365);
                let disabled = [None, Some(None), Some(Some(until))];
                let disabled = dice.pick(&disabled).map(|until| Disabled { at, until });
                let change = move |identity: &mut Identity| identity.disabled = disabled;
                edit_entity(&stage.controller, UniqueIndex::IdentityId, &person, change).await;
            },
            8 => {
                let policy = dice.word(&["closed", "default", "default"]);
                let body = json!({"authPolicyId": policy});
                stage.administer(Method::PATCH, &identity, &body).await;
            },
            9 => self.pass(dice).await,
            _ => {
                let person = &self.people[dice.roll(self.people.len())];
                let reply = person.try_to_log_in(&stage.controller).await;
                if reply.status == 200 {
                    self.open.push(text(&reply.data(), "token").to_owned());
                }
                self.connect_all().await;
            },
        }
    }

    /// Lets time pass, and has most sessions used: those of a stage last for ten years.
    async fn pass(&self, dice: &mut Dice) {
        let years = SignedDuration::from_hours(4 * 365 * 24);
        self.stage.controller.clock.advance(years);
        for session in &self.open {
            if !dice.one_in(8) {
                let path = (Method::GET, "/current-identity");
                self.stage.client(session, path).await;
            }
        }
    }
}

#[tokio::test]
async fn list_is_what_each_session_is_by_itself_whatever_grants_it() {
    let seed = 7;
    let mut crowd = Crowd::new().await;
    assert_eq!(crowd.granted.len(), 7 * 3 * 2);
    crowd.compare("at the beginning").await;
    let mut dice = Dice(seed);
    for round in 0..60 {
        crowd.change(&mut dice).await;
        crowd.compare(&format!("seed {seed}, round {round}")).await;
    }
}

#[tokio::test]
async fn sessions_leave_the_list_with_a_policy_and_come_back_with_another() {
    let mut crowd = Crowd::new().await;
    let all = crowd.there().await.len();
    let dial = crowd.policies.remove(0);
    let path = format!("/service-policies/{dial}");
    let stage = &crowd.stage;
    stage.administer(Method::DELETE, &path, &Value::Null).await;
    assert_eq!(crowd.there().await.len(), all / 2, "those that bind");
    crowd.compare("without the policy").await;
    let (who, what) = (
        format!("@{}", crowd.people[0].id),
        crowd.services[1].clone(),
    );
    let what = format!("@{what}");
    crowd.grant("Dial", (&[&who], &[&what]), false).await;
    assert_eq!(crowd.there().await.len(), all / 2 + 2, "of both logins");
    crowd.compare("with another policy").await;
}

/// How many rows are read for the first page of all sessions that there are.
async fn reads_of_page(crowd: &Crowd) -> u64 {
    let before = crowd.stage.controller.reads();
    let path = "/sessions?limit=5&sort=id%20desc";
    let reply = get(&crowd.stage.controller, &crowd.stage.admin, path).await;
    assert_eq!(reply.data().as_array().unwrap().len(), 5);
    assert_eq!(pagination(&reply).2, json!(crowd.granted.len()));
    crowd.stage.controller.reads() - before
}

/// How many rows are read for a list whose filter and order need the record of each session.
async fn reads_of_records(crowd: &Crowd) -> u64 {
    let before = crowd.stage.controller.reads();
    let path = "/sessions?limit=5&sort=apiSession&filter=apiSession!=%22x%22";
    let reply = get(&crowd.stage.controller, &crowd.stage.admin, path).await;
    assert_eq!(pagination(&reply).2, json!(crowd.granted.len()));
    crowd.stage.controller.reads() - before
}

#[tokio::test]
async fn list_reads_as_much_among_many_identities_as_among_few() {
    let crowd = Crowd::new().await;
    let among_few = reads_of_records(&crowd).await;
    for number in 0..200 {
        let identity =
            json!({"name": format!("other{number}"), "type": "Default", "isAdmin": false});
        crowd.stage.create("/identities", identity).await;
    }
    let among_many = reads_of_records(&crowd).await;
    assert!(
        among_many <= among_few + 10,
        "{among_many} rows, among few {among_few}"
    );
}

#[tokio::test]
async fn page_reads_as_much_of_many_sessions_as_of_few() {
    let mut crowd = Crowd::new().await;
    let of_few = reads_of_page(&crowd).await;
    for number in 0..12 {
        let service = json!({"name": format!("s{number}"), "encryptionRequired": true});
        crowd
            .services
            .push(crowd.stage.create("/services", service).await);
    }
    crowd.connect_all().await;
    assert_eq!(crowd.granted.len(), 7 * 15 * 2);
    let of_many = reads_of_page(&crowd).await;
    assert!(of_many <= of_few + 10, "{of_many} rows, of few {of_few}");
}
