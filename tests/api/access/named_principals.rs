//! S-34: who asks is known by the token alone. Whoever names somebody else, in whatever member, parameter
//! or header of whatever operation, acts as itself: what is the other's stays as it is, byte for byte,
//! and nothing of it is told.
//!
//! The operations are those of the table of routes, and their members those of the description that the
//! controller gives of itself, besides such as no description has.

use crate::access::escalation_search::members;
use crate::access::matrix::body;
use crate::access::ownership::{Possessions, is_for_everybody, is_with_body};
use crate::support::mfa::begin;
use crate::support::{current_session, find_identity_id, text};
use http::Method;
use portcullis_domain::identity::Identity;
use portcullis_http::path::Api;
use portcullis_http::route::Route;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};
use portcullis_testkit::{Harness, Reply};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Members, parameters and headers that look as if they said who asks.
const PRINCIPALS: [&str; 14] = [
    "identityId",
    "identity",
    "IDENTITYID",
    "identity_id",
    "id",
    "userId",
    "ownerId",
    "sub",
    "sessionId",
    "apiSessionId",
    "apiSession",
    "authenticatorId",
    "enrollmentId",
    "onBehalfOf",
];

const HEADERS: [&str; 4] = [
    "x-identity-id",
    "ziti-identity-id",
    "x-forwarded-user",
    "ziti-session-id",
];

/// Where somebody else is named.
#[derive(Debug, Clone, Copy)]
enum Place<'n> {
    /// In a member of the body.
    Member(&'n str),
    /// In a member that is an object with an id.
    Object(&'n str),
    /// In a list.
    List(&'n str),
    Parameter(&'n str),
    Header(&'static str),
}

/// Somebody with everything that people can have, and a stranger who knows all ids.
struct Scene {
    possessions: Possessions,
    /// The record of the identity, under which all that is its own lies.
    owner: RecordKey,
    stranger: String,
    /// What is the stranger's own, by the noun under which paths have it.
    own: Vec<(&'static str, String)>,
}

impl Scene {
    async fn new() -> Self {
        let possessions = Possessions::new().await;
        let stage = &possessions.stage;
        let (controller, admin) = (&stage.controller, &stage.admin);
        begin(controller, &stage.person.session).await;
        let stranger = controller.create_user(admin, "stranger", json!({})).await;
        let path = (Method::GET, "/current-identity/authenticators");
        let authenticators = stage.client(&stranger, path).await.data();
        let session = current_session(controller, &stranger).await.data();
        let own = vec![
            ("authenticators", text(&authenticators[0], "id").to_owned()),
            ("api-sessions", text(&session, "id").to_owned()),
            (
                "identities",
                find_identity_id(controller, admin, "stranger").await,
            ),
        ];
        let view = controller.engine.snapshot().unwrap();
        let by_id = UniqueValue::new(UniqueIndex::IdentityId, stage.person.id.as_str());
        let owner: Option<Found<Identity>> = Rows::new(&*view).find(&by_id).unwrap();
        Self {
            owner: owner.unwrap().key,
            possessions,
            stranger,
            own,
        }
    }

    fn controller(&self) -> &Harness {
        &self.possessions.stage.controller
    }

    /// Everything that is stored of the owner.
    fn stored(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = Vec::new();
        let view = self.controller().engine.snapshot().unwrap();
        view.scan(&self.owner.tree(), &mut |key, value| {
            rows.push((key.to_vec(), value.to_vec()));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
        rows
    }

    /// What the paths of a route may be about: the stranger's own, and what is named.
    fn about<'s>(&'s self, route: &Route, named: &'s str) -> Vec<&'s str> {
        if !route.path.contains('{') {
            return vec![named];
        }
        let own = self.own.iter();
        let own = own.filter(|(noun, _)| route.path.contains(noun));
        let mut about: Vec<_> = own.map(|(_, id)| id.as_str()).collect();
        about.push(named);
        about
    }

    /// Has the stranger ask for an operation and name somebody else in one place.
    async fn ask(&self, route: &Route, about: &str, place: Place<'_>, named: &str) -> Reply {
        let path = route.path.replace("{id}", about).replace("{*path}", about);
        let mut path = format!("{}{path}", Api::Client.base_path());
        let mut body = body(&route.method, route.path, 0);
        match place {
            Place::Parameter(name) => path = format!("{path}?{name}={named}"),
            Place::Member(name) if body.is_object() => body[name] = json!(named),
            Place::Object(name) if body.is_object() => body[name] = json!({"id": named}),
            Place::List(name) if body.is_object() => body[name] = json!([named]),
            Place::Member(_) | Place::Object(_) | Place::List(_) | Place::Header(_) => {},
        }
        let request = self.controller().request(route.method.clone(), &path);
        let mut request = request.session(&self.stranger);
        if let Place::Header(name) = place {
            request = request.header(name, named);
        }
        if is_with_body(route) {
            request = request.json(&body);
        }
        request.send().await
    }

    /// Asserts that an answer tells nothing of the owner but what was named.
    fn check(&self, reply: &Reply, named: &str, what: &str) {
        let answer = reply.text();
        let others = self.possessions.ids.iter().filter(|id| *id != named);
        for known in others.chain(&self.possessions.secrets) {
            assert!(
                !answer.contains(known.as_str()),
                "{known} is told: {what} {answer}"
            );
        }
    }
}

#[tokio::test]
async fn whoever_names_somebody_else_acts_as_itself() {
    let scene = Scene::new().await;
    let described = members(scene.controller()).await;
    let before = scene.stored();
    assert!(before.len() > 5, "the owner has something of each kind");
    let routes = scene.controller().table().routes().iter();
    let routes =
        routes.filter(|route| is_for_everybody(route) && route.apis.contains(&Api::Client));
    let (mut operations, mut asked) = (0, 0);
    for route in routes {
        operations += 1;
        let path = format!("{}{}", Api::Client.base_path(), route.path);
        let key = (route.method.to_string(), path);
        let known: BTreeSet<&str> = described
            .get(&key)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain(PRINCIPALS)
            .collect();
        let members = known.iter().filter(|_| is_with_body(route));
        let members: Vec<_> = members.copied().map(Place::Member).collect();
        // In other places than such as are read, who it is suffices.
        let mut elsewhere: Vec<_> = PRINCIPALS.map(Place::Parameter).into();
        elsewhere.extend(HEADERS.map(Place::Header));
        if is_with_body(route) {
            let odd = |name| [Place::Object(name), Place::List(name)];
            elsewhere.extend(known.iter().copied().flat_map(odd));
        }
        let person = &scene.possessions.stage.person.id;
        for named in &scene.possessions.ids {
            let count = if named == person { elsewhere.len() } else { 1 };
            let elsewhere = elsewhere.iter().take(count);
            for about in scene.about(route, named) {
                for place in members.iter().chain(elsewhere.clone()) {
                    let reply = scene.ask(route, about, *place, named).await;
                    let what = format!("{route:?} about {about}, {place:?} names {named}");
                    assert!(reply.status.as_u16() != 500, "{what}: {}", reply.text());
                    scene.check(&reply, named, &what);
                    // Looked at each time where something may change.
                    if !route.method.is_safe() {
                        assert_eq!(scene.stored(), before, "{what}: {}", reply.text());
                    }
                    asked += 1;
                }
            }
        }
    }
    assert!(operations > 30 && asked > 3000, "{operations} {asked}");
    assert_eq!(scene.stored(), before);
    let person = &scene.possessions.stage.person;
    let session: Value = current_session(scene.controller(), &person.session)
        .await
        .data();
    assert_eq!(session["identityId"], person.id);
}
