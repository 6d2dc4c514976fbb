//! A permission to read yields no credential of somebody else, by whatever answer.

use crate::routers::edge_routers::{add_edge, add_transit, edge};
use crate::support::mfa::begin;
use crate::support::posture::PostureFixture;
use crate::support::third_party::{self, Authority};
use crate::support::{create, find_identity_id, get, send, text};
use http::Method;
use portcullis_domain::permission::{Permission, Verb};
use portcullis_http::path::Api;
use portcullis_testkit::PASSWORD;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const LATER: &str = "2040-01-01T00:00:00Z";

/// A network in which every kind of credential is outstanding.
pub(crate) struct Outstanding {
    pub(crate) stage: PostureFixture,
    /// What each secret is, and the secret.
    pub(crate) secrets: Vec<(String, String)>,
    /// Those of `secrets` that open an enrollment.
    pub(crate) of_enrollments: BTreeSet<String>,
}

impl Outstanding {
    pub(crate) async fn new() -> Self {
        let stage = PostureFixture::new().await;
        let mut this = Self {
            stage,
            secrets: Vec::new(),
            of_enrollments: BTreeSet::new(),
        };
        this.add_enrollments().await;
        this.add_sessions().await;
        this
    }

    fn keep(&mut self, what: &str, secret: &str) {
        assert!(secret.len() > 5, "{what} is no secret: {secret:?}");
        self.secrets.push((what.to_owned(), secret.to_owned()));
    }

    async fn add_enrollments(&mut self) {
        let PostureFixture {
            controller, admin, ..
        } = &self.stage;
        let factory = Authority::root("factory");
        let ca = third_party::add(controller, admin, ("factory", &factory), json!({})).await;
        for (name, method) in [
            ("by-ott", json!({"ott": true})),
            ("by-updb", json!({"updb": "by-updb"})),
            ("by-ottca", json!({"ottca": ca})),
        ] {
            create(controller, admin, name, json!({"enrollment": method})).await;
        }
        add_edge(controller, admin, "fresh", json!({})).await;
        let again = add_edge(controller, admin, "again", json!({})).await;
        crate::routers::enrollment::enroll(controller, admin, &again).await;
        let path = format!("/edge-routers/{again}/re-enroll");
        controller.manage(Method::POST, &path, admin).send().await;
        assert!(edge(controller, admin, &again).await["enrollmentToken"].is_string());
        add_transit(controller, admin, "transit", json!({})).await;
        controller.create_user(admin, "forgetful", json!({})).await;
        let forgetful = find_identity_id(controller, admin, "forgetful").await;
        let own = format!("/identities/{forgetful}/authenticators");
        let authenticator = get(controller, admin, &own).await.data()[0].clone();
        let path = format!("/authenticators/{}/re-enroll", text(&authenticator, "id"));
        let body = json!({"expiresAt": LATER});
        let replaced = send(controller, admin, (Method::POST, &path), &body).await;
        assert_eq!(replaced.status, 201, "{}", replaced.text());

        let all = get(controller, admin, &all("/enrollments")).await.data();
        let all = all.as_array().unwrap().clone();
        let mut methods: BTreeSet<String> = BTreeSet::new();
        for enrollment in &all {
            let method = text(enrollment, "method");
            methods.insert(method.to_owned());
            for member in ["token", "jwt"] {
                let secret = text(enrollment, member);
                self.keep(&format!("{member} of {method}"), secret);
                self.of_enrollments.insert(secret.to_owned());
            }
        }
        let expected = ["erott", "ott", "ottca", "trott", "updb"];
        assert_eq!(methods, expected.map(str::to_owned).into());
    }

    async fn add_sessions(&mut self) {
        let stage = &self.stage;
        let (admin, person) = (stage.admin.clone(), stage.person.session.clone());
        stage.allow("dial", "Dial", &[]).await;
        let service = stage.connect(&person, "Dial").await.data();
        let service = text(&service, "token").to_owned();
        let user = stage
            .controller
            .create_user(&admin, "scanner", json!({}))
            .await;
        let (_device, started) = begin(&stage.controller, &user).await;
        let url = text(&started, "provisioningUrl");
        let totp = url.split_once("secret=").unwrap().1.to_owned();
        let recovery = text(&json!({"c": started["recoveryCodes"][0]}), "c").to_owned();
        for (what, secret) in [
            ("token of an administrator", admin),
            ("token of a person", person),
            ("token of a user", user),
            ("token of a service session", service),
            ("secret of TOTP", totp),
            ("recovery code", recovery),
            ("password", PASSWORD.to_owned()),
        ] {
            self.keep(what, &secret);
        }
    }

    /// Every path of every API that answers an administrator, about everything that there is.
    pub(crate) async fn readable(&self) -> Vec<String> {
        let controller = &self.stage.controller;
        let routes = controller.table().routes().iter();
        let routes: Vec<(Api, &str)> = routes
            .filter(|route| route.method == Method::GET && route.is_implemented)
            .flat_map(|route| route.apis.iter().map(|api| (*api, route.path)))
            .collect();
        let (about_one, about_all): (Vec<_>, Vec<_>) =
            routes.into_iter().partition(|(_, path)| path.contains('{'));
        let (mut ids, mut readable) = (BTreeSet::new(), Vec::new());
        for (api, path) in about_all {
            let path = format!("{}{path}", api.base_path());
            for path in [all(&path), path] {
                let reply = self.ask(&path, &self.stage.admin).await;
                if reply.status == 200 {
                    if let Ok(body) = serde_json::from_slice(&reply.body) {
                        collect_ids(&body, &mut ids);
                    }
                    readable.push(path);
                }
            }
        }
        for (api, path) in about_one {
            for id in &ids {
                let path = path.replace("{id}", id).replace("{*path}", id);
                let path = format!("{}{path}", api.base_path());
                if self.ask(&path, &self.stage.admin).await.status == 200 {
                    readable.push(path);
                }
            }
        }
        readable
    }

    async fn ask(&self, path: &str, token: &str) -> portcullis_testkit::Reply {
        let request = self.stage.controller.request(Method::GET, path);
        request.session(token).send().await
    }

    /// The secrets that an answer tells.
    fn told(&self, answer: &str) -> Vec<&str> {
        let told = self.secrets.iter();
        let told = told.filter(|(_, secret)| answer.contains(secret));
        told.map(|(what, _)| what.as_str()).collect()
    }
}

/// The whole of a list.
fn all(path: &str) -> String {
    format!("{path}?filter=true%20sort%20by%20createdAt%20desc%20limit%20none")
}

/// Everything in an answer that looks like the id of something.
pub(crate) fn collect_ids(value: &Value, ids: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if let (true, Some(id)) = (name == "id", value.as_str()) {
                    ids.insert(id.to_owned());
                }
                collect_ids(value, ids);
            }
        },
        Value::Array(items) => items.iter().for_each(|item| collect_ids(item, ids)),
        _ => {},
    }
}

/// Permissions to read: those about what has credentials by themselves, and all of them together,
/// which show whatever one of them does.
fn reading() -> Vec<Vec<String>> {
    let reads = |permission: &Permission| match permission {
        Permission::AdminReadOnly => true,
        Permission::One(_, verb) => *verb == Verb::Read,
        Permission::All(subject) => subject.name() == "ops",
    };
    let names = Permission::grantable().filter(reads);
    let together: Vec<_> = names.map(|permission| permission.to_string()).collect();
    let single = [
        "admin_readonly",
        "enrollment.read",
        "identity.read",
        "ops",
        "router.read",
    ];
    let single = single.map(|name| vec![name.to_owned()]);
    single.into_iter().chain([together]).collect()
}

#[tokio::test]
async fn no_permission_to_read_tells_a_credential() {
    let network = Outstanding::new().await;
    let PostureFixture {
        controller, admin, ..
    } = &network.stage;
    let readable = network.readable().await;
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for path in &readable {
        let answer = network.ask(path, admin).await.text();
        told.extend(network.told(&answer));
    }
    for method in ["erott", "ott", "ottca", "trott", "updb"] {
        for member in ["token", "jwt"] {
            let what = format!("{member} of {method}");
            assert!(told.contains(&*what), "administrators find the {what}");
        }
    }
    for (number, permissions) in reading().into_iter().enumerate() {
        let name = format!("reader {number}");
        let more = json!({"permissions": permissions});
        let reader = controller.create_user(admin, &name, more).await;
        for path in &readable {
            let answer = network.ask(path, &reader).await.text();
            let told = network.told(&answer);
            assert!(told.is_empty(), "{permissions:?}: {path} tells {told:?}");
        }
    }
}

/// A filter or an order that a right guess changes would tell what the answer does not.
#[tokio::test]
async fn no_filter_tells_a_reader_whether_it_guessed_a_credential() {
    let network = Outstanding::new().await;
    let PostureFixture {
        controller, admin, ..
    } = &network.stage;
    let reader = json!({"permissions": reading().pop().unwrap()});
    let reader = controller.create_user(admin, "reader", reader).await;
    let routes = controller.table().routes().iter();
    let lists = routes
        .filter(|route| route.method == Method::GET && !route.path.contains('{'))
        .flat_map(|route| route.apis.iter().map(|api| (*api, route.path)));
    let right = |what: &str| {
        let found = network.secrets.iter().find(|(each, _)| each == what);
        found.unwrap().1.clone()
    };
    let wrong = "00000000-0000-4000-8000-000000000000".to_owned();
    let mut asked = 0;
    for (api, path) in lists {
        for symbol in ["token", "enrollmentToken"] {
            let mut outcomes = BTreeSet::new();
            let guesses = ["token of ott", "jwt of erott", "token of a person"].map(right);
            for guess in guesses.iter().chain([&wrong]) {
                let filter = format!("{symbol}%20%3D%20%22{guess}%22");
                let path = format!("{}{path}?filter={filter}", api.base_path());
                let reply = network.ask(&path, &reader).await;
                let total = serde_json::from_slice::<Value>(&reply.body)
                    .map(|body| body["meta"]["pagination"]["totalCount"].clone());
                outcomes.insert((reply.status, format!("{:?}", total.ok())));
                asked += 1;
            }
            assert_eq!(outcomes.len(), 1, "{path} by {symbol}: {outcomes:?}");
        }
    }
    assert!(asked > 400, "{asked}");
}

#[tokio::test]
async fn tokens_are_for_those_who_may_draw_new_ones() {
    let network = Outstanding::new().await;
    let PostureFixture {
        controller, admin, ..
    } = &network.stage;
    let by_ott = find_identity_id(controller, admin, "by-ott").await;
    let router = get(controller, admin, "/edge-routers?filter=name%3D%22fresh%22").await;
    let router = text(&router.data()[0], "id").to_owned();
    for (number, (permissions, of_identities, of_routers)) in [
        (json!(["admin_readonly"]), false, false),
        (
            json!(["enrollment.read", "identity", "router.read"]),
            false,
            false,
        ),
        (
            json!([
                "enrollment.read",
                "enrollment.delete",
                "identity.read",
                "router.create",
                "router.read"
            ]),
            false,
            false,
        ),
        (
            json!([
                "enrollment.read",
                "enrollment.create",
                "identity.read",
                "router.read"
            ]),
            true,
            false,
        ),
        (json!(["admin_readonly", "enrollment.update"]), true, false),
        (json!(["admin_readonly", "router.update"]), false, true),
        (json!(["enrollment", "identity", "router"]), true, true),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("caller {number}");
        let more = json!({"permissions": permissions});
        let caller = controller.create_user(admin, &name, more).await;
        let identity = get(controller, &caller, &format!("/identities/{by_ott}")).await;
        let pending = identity.data()["enrollment"]["ott"].clone();
        assert!(pending["id"].is_string(), "{permissions}: {pending}");
        for member in ["token", "jwt"] {
            assert_eq!(pending[member].is_string(), of_identities, "{permissions}");
        }
        let path = format!("/enrollments?filter=identity%3D%22{by_ott}%22");
        let listed = get(controller, &caller, &path).await.data()[0].clone();
        assert_eq!(listed["token"] != json!(""), of_identities, "{permissions}");
        assert_eq!(listed["jwt"].is_string(), of_identities, "{permissions}");

        let shown = edge(controller, &caller, &router).await;
        assert!(shown["enrollmentExpiresAt"].is_string(), "{permissions}");
        for member in ["enrollmentToken", "enrollmentJwt"] {
            assert_eq!(shown[member].is_string(), of_routers, "{permissions}");
        }
        let path = format!("/enrollments?filter=edgeRouter%3D%22{router}%22");
        let listed = get(controller, &caller, &path).await.data()[0].clone();
        assert_eq!(listed["token"] != json!(""), of_routers, "{permissions}");
    }
}
