//! What is somebody's own is nobody else's to see or to change, whoever knows its id (S-51, S-34).

use crate::access::matrix::body;
use crate::support::posture::PostureFixture;
use crate::support::{
    create, current_session, get, merge, ott_enrollment, pending_enrollment, text,
};
use http::Method;
use portcullis_domain::access::Access;
use portcullis_http::path::Api;
use portcullis_http::route::Route;
use portcullis_testkit::{Reply, client_key_and_csr};
use serde_json::{Value, json};

/// A stage on which a person has one of everything that people can have.
pub(crate) struct Possessions {
    pub(crate) stage: PostureFixture,
    /// Ids.
    pub(crate) ids: Vec<String>,
    /// What nobody else is ever told.
    pub(crate) secrets: Vec<String>,
}

impl Possessions {
    pub(crate) async fn new() -> Self {
        let stage = PostureFixture::new().await;
        let policy = stage.allow("dial", "Dial", &[]).await;
        let session = &stage.person.session;
        let connected = stage.connect(session, "Dial").await.data();
        let (_key, csr) = client_key_and_csr();
        let path = "/current-api-session/certificates";
        let certificate = stage.post(session, path, &json!({"csr": csr})).await;
        let certificate = certificate.data();
        let login = current_session(&stage.controller, session).await.data();
        let path = "/current-identity/authenticators";
        let authenticators = stage.client(session, (Method::GET, path)).await.data();
        let waiting = create(&stage.controller, &stage.admin, "waiting", ott_enrollment()).await;
        let enrollment = pending_enrollment(&stage.controller, &stage.admin, &waiting, "ott").await;
        let ids = [
            text(&connected, "id"),
            text(&certificate, "id"),
            text(&login, "id"),
            text(&authenticators[0], "id"),
            text(&enrollment, "id"),
            &stage.person.id,
            &stage.service,
            &waiting,
            &policy,
        ];
        let secrets = [
            text(&connected, "token"),
            text(&enrollment, "token"),
            session,
        ];
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Self {
            ids: owned(&ids),
            secrets: owned(&secrets),
            stage,
        }
    }

    /// What an administrator sees of them.
    async fn look(&self) -> Vec<Value> {
        let PostureFixture {
            controller, admin, ..
        } = &self.stage;
        let mut seen = Vec::new();
        for path in [
            "/authenticators",
            "/enrollments",
            "/identities",
            "/service-policies",
            "/services",
            "/sessions",
        ] {
            seen.push(get(controller, admin, path).await.data());
        }
        seen
    }

    /// Asks for one operation as a stranger who names, wherever something is named, an id.
    async fn ask(&self, stranger: &str, (api, route): (Api, &Route), id: &str) -> Reply {
        let path = route.path.replace("{id}", id).replace("{*path}", id);
        let path = format!("{}{path}", api.base_path());
        let request = self.stage.controller.request(route.method.clone(), &path);
        let request = request.session(stranger);
        if !is_with_body(route) {
            return request.send().await;
        }
        let mut body = body(&route.method, route.path, 0);
        if body.is_object() {
            merge(
                &mut body,
                json!({"id": id, "identityId": id, "serviceId": id}),
            );
        }
        request.json(&body).send().await
    }
}

pub(crate) fn is_with_body(route: &Route) -> bool {
    matches!(route.method, Method::POST | Method::PUT | Method::PATCH)
}

/// Whether whoever has logged in may perform it, and it does not log out.
pub(crate) fn is_for_everybody(route: &Route) -> bool {
    matches!(
        route.access,
        Access::Public | Access::Partial | Access::Full
    ) && (route.method != Method::DELETE || route.path != "/current-api-session")
}

#[tokio::test]
async fn what_is_somebodys_own_is_nobody_elses() {
    let possessions = Possessions::new().await;
    let PostureFixture {
        controller,
        admin,
        person,
        ..
    } = &possessions.stage;
    let stranger = controller.create_user(admin, "stranger", json!({})).await;
    let before = possessions.look().await;
    let routes = controller.table().routes().iter();
    for route in routes.filter(|route| is_for_everybody(route)) {
        let is_about_one = route.path.contains("{id}");
        let asked = if is_about_one || is_with_body(route) {
            possessions.ids.as_slice()
        } else {
            &possessions.ids[..1]
        };
        for (&api, id) in route
            .apis
            .iter()
            .flat_map(|api| asked.iter().map(move |id| (api, id)))
        {
            let reply = possessions.ask(&stranger, (api, route), id).await;
            let answer = reply.text();
            let what = format!("{route:?} with {id}: {} {answer}", reply.status);
            if is_about_one && route.is_implemented {
                assert!(reply.status.is_client_error(), "{what}");
            }
            // Who names an id may be told it again, and learns nothing by that.
            let others = possessions.ids.iter().filter(|other| *other != id);
            for known in others.chain(&possessions.secrets) {
                assert!(!answer.contains(known), "{known} is told: {what}");
            }
        }
    }
    assert_eq!(possessions.look().await, before);
    assert_eq!(
        current_session(controller, &person.session).await.status,
        200
    );
}
