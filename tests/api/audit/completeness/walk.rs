//! Operations of the table, performed one after the other on one controller.

use super::expected::Expected;
use crate::support::{current_session, revision, text};
use http::Method;
use portcullis_http::route::Route;
use portcullis_testkit::{AuditTrail, EntitySnapshot, Harness, Request};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// How an operation of the table is called here.
pub(super) fn case(route: &Route) -> String {
    let apis: Vec<_> = route.apis.iter().map(|api| api.binding()).collect();
    format!("{} {} {}", apis.join("+"), route.method, route.path)
}

/// A controller whose operations are performed one after the other.
pub(super) struct Walk {
    pub(super) controller: Harness,
    pub(super) admin: Who,
    performed: RefCell<BTreeSet<String>>,
    /// The requests of which events told.
    requests: RefCell<BTreeSet<String>>,
    /// What was shown when the store was as old as this.
    seen: RefCell<Option<(u64, Rc<EntitySnapshot>)>>,
}

/// Somebody with a session.
#[derive(Debug, Clone)]
pub(super) struct Who {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) token: String,
    pub(super) session: String,
}

impl Who {
    pub(super) async fn holding(controller: &Harness, token: &str) -> Self {
        let session = current_session(controller, token).await.data();
        Self {
            id: text(&session, "identityId").to_owned(),
            name: text(&session["identity"], "name").to_owned(),
            token: token.to_owned(),
            session: text(&session, "id").to_owned(),
        }
    }
}

impl Walk {
    pub(super) async fn start() -> Self {
        let controller = Harness::start().await;
        let token = controller.admin().await;
        let admin = Who::holding(&controller, &token).await;
        Self {
            controller,
            admin,
            performed: RefCell::default(),
            requests: RefCell::default(),
            seen: RefCell::default(),
        }
    }

    /// Asserts that these operations of the table were performed.
    pub(super) fn finish(self, cases: &[&str]) {
        let performed = self.performed.into_inner();
        let missing: Vec<_> = cases
            .iter()
            .filter(|case| !performed.contains(**case))
            .collect();
        assert!(missing.is_empty(), "not performed: {missing:#?}");
    }

    /// Somebody with a password, logged in.
    pub(super) async fn user(&self, name: &str, more: Value) -> Who {
        let token = self
            .controller
            .create_user(&self.admin.token, name, more)
            .await;
        Who::holding(&self.controller, &token).await
    }

    /// A request of the administrator to the management API.
    pub(super) fn manage(&self, method: Method, path: &str) -> Request<'_> {
        self.controller.manage(method, path, &self.admin.token)
    }

    /// A request to the client API.
    pub(super) fn client(&self, method: Method, path: &str) -> Request<'_> {
        let path = format!("/edge/client/v1{path}");
        self.controller.request(method, &path)
    }

    /// The next request has to be told as an operation of the administrator.
    pub(super) fn tells<'w>(&'w self, operation: &'w str) -> Expected<'w> {
        Expected::of_operation(self, Some(operation))
    }

    /// The next request changes nothing that the trail would tell of.
    pub(super) fn tells_nothing(&self) -> Expected<'_> {
        Expected::of_operation(self, None)
    }

    /// The administrator makes something; answers its id.
    pub(super) async fn make(&self, all: &str, operation: &str, body: &Value) -> String {
        let request = self.manage(Method::POST, all).json(body);
        self.tells(operation).send(request).await.id()
    }

    /// The administrator changes something.
    pub(super) async fn change(
        &self,
        (method, all, id): (Method, &str, &str),
        operation: &str,
        body: &Value,
    ) {
        let request = self.manage(method, &format!("{all}/{id}")).json(body);
        self.tells(operation).of(id).send(request).await;
    }

    /// The administrator removes something.
    pub(super) async fn remove(&self, (all, id): (&str, &str), operation: &str) {
        let request = self.manage(Method::DELETE, &format!("{all}/{id}"));
        self.tells(operation).of(id).send(request).await;
    }

    /// Sends what cannot succeed, because there is nothing that it could be done to.
    pub(super) async fn refuses(&self, status: u16, request: Request<'_>) {
        self.note(&request);
        let trail = AuditTrail::from_now(&self.controller);
        let reply = request.send().await;
        assert_eq!(reply.status.as_u16(), status, "{}", reply.text());
        assert_eq!(trail.operations(), [], "{}", reply.text());
    }

    /// Notes which operation is performed.
    pub(super) fn note(&self, request: &Request<'_>) {
        let route = request.route().expect("there is a route");
        self.performed.borrow_mut().insert(case(route));
    }

    /// Whether no event told of a request before.
    pub(super) fn is_new(&self, request: &str) -> bool {
        self.requests.borrow_mut().insert(request.to_owned())
    }

    /// What lists show now.
    pub(super) async fn world(&self) -> Rc<EntitySnapshot> {
        let revision = revision(&self.controller);
        let seen = self.seen.borrow().clone();
        match seen {
            Some((at, world)) if at == revision => world,
            _ => {
                let world =
                    Rc::new(EntitySnapshot::read(&self.controller, &self.admin.token).await);
                *self.seen.borrow_mut() = Some((revision, world.clone()));
                world
            },
        }
    }
}
