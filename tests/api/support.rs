//! Shared support of API tests.

pub(crate) mod credentials;
pub(crate) mod hold;
pub(crate) mod idp;
pub(crate) mod key_server;
pub(crate) mod lists;
pub(crate) mod log;
pub(crate) mod mfa;
pub(crate) mod naive;
pub(crate) mod network;
pub(crate) mod oidc;
pub(crate) mod posture;
pub(crate) mod third_party;

use http::Method;
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::{AuthPolicyId, SignerId};
use portcullis_domain::signer::{KeySource, Signer, SignerSettings, SignerSpec};
use portcullis_pki::Certificate;
use portcullis_storage::engine::submit_with;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    AUTH_POLICY, Entity, Found, RowsMut, SIGNER, UniqueIndex, UniqueValue,
};
use portcullis_testkit::{Harness, HarnessOptions, PASSWORD, Reply};
use serde_json::{Value, json};

/// Id of a policy that requires a TOTP code: no session is ever full under it.
pub(crate) const STRICT: &str = "strict";

/// Creates an identity; `more` is merged into the minimal body.
pub(crate) async fn create(controller: &Harness, token: &str, name: &str, more: Value) -> String {
    let mut body = json!({"name": name, "isAdmin": false});
    merge(&mut body, more);
    let request = controller.manage(Method::POST, "/identities", token);
    request.json(&body).send().await.id()
}

/// Body for creating an identity with a one-time token.
pub(crate) fn ott_enrollment() -> Value {
    json!({"enrollment": {"ott": true}})
}

/// Merges the members of `over` into `under`.
pub(crate) fn merge(under: &mut Value, over: Value) {
    let Value::Object(over) = over else {
        panic!("no object: {over}")
    };
    for (name, value) in over {
        under[name] = value;
    }
}

/// Reads an identity.
pub(crate) async fn read(controller: &Harness, token: &str, id: &str) -> Value {
    get(controller, token, &format!("/identities/{id}"))
        .await
        .data()
}

/// Sends a GET request to the management API.
pub(crate) async fn get(controller: &Harness, token: &str, path: &str) -> Reply {
    controller.manage(Method::GET, path, token).send().await
}

/// Sends a JSON request to the management API.
pub(crate) async fn send(
    controller: &Harness,
    token: &str,
    (method, path): (Method, &str),
    body: &Value,
) -> Reply {
    let request = controller.manage(method, path, token);
    request.json(body).send().await
}

/// The pending enrollment of an identity by a method: id, token, JWT.
pub(crate) async fn pending_enrollment(
    controller: &Harness,
    admin: &str,
    id: &str,
    method: &str,
) -> Value {
    read(controller, admin, id).await["enrollment"][method].clone()
}

/// A string member.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member]
        .as_str()
        .unwrap_or_else(|| panic!("no text `{member}`: {value}"))
}

/// Number of commits so far.
pub(crate) fn revision(controller: &Harness) -> u64 {
    controller.engine.snapshot().unwrap().revision().unwrap()
}

/// Changes the store directly.
pub(crate) async fn modify_store<T: Send + 'static>(
    controller: &Harness,
    mut body: impl FnMut(&mut RowsMut<'_>) -> T + Send + 'static,
) -> T {
    submit_with(&*controller.engine, move |tx| {
        Ok::<_, std::convert::Infallible>(body(&mut RowsMut::new(tx)))
    })
    .unwrap()
    .await
    .unwrap()
    .unwrap()
}

/// Changes one entity directly in the store.
///
/// The change is submitted at once; the future completes when it is committed.
pub(crate) fn edit_entity<E: Entity + Clone, F: Fn(&mut E) + Send + 'static>(
    controller: &Harness,
    index: UniqueIndex,
    value: &str,
    change: F,
) -> impl Future<Output = ()> + use<E, F> {
    let value = UniqueValue::new(index, value);
    let ticket = submit_with(&*controller.engine, move |tx| {
        let mut rows = RowsMut::new(tx);
        let found: Found<E> = rows.rows().find(&value).unwrap().unwrap();
        let mut after = found.entity.clone();
        change(&mut after);
        rows.replace(&found.key, &found.entity, &after).unwrap();
        Ok::<_, std::convert::Infallible>(())
    });
    async move { ticket.unwrap().await.unwrap().unwrap() }
}

/// An external signer without any issued tokens.
pub(crate) fn signer(controller: &Harness, id: &SignerId) -> Signer {
    let keys = KeySource::KeySet(format!("https://{id}.example.test/keys"));
    let issuer = format!("https://{id}.example.test");
    let settings = SignerSettings::new(id.as_str(), issuer, "portcullis", true);
    let spec = SignerSpec::new(keys, settings);
    Signer::new(id.clone(), spec, controller.app.env().now()).unwrap()
}

/// A controller that checks one password at a time, with a queue of one per lane.
pub(crate) async fn one_password_at_a_time() -> Harness {
    let options = HarnessOptions {
        password_threads: 1,
        password_queue: 1,
        ..HarnessOptions::default()
    };
    Harness::start_with(options).await
}

/// Adds a policy directly to the store, and the signers that it names.
pub(crate) async fn add_policy(controller: &Harness, id: &str, edit: impl FnOnce(&mut AuthPolicy)) {
    let mut policy = AuthPolicy::default_policy(controller.app.env().now());
    policy.id = AuthPolicyId::from_wire(id);
    id.clone_into(&mut policy.spec.name);
    edit(&mut policy);
    let mut named = policy.spec.primary.ext_jwt.allowed_signers.clone();
    named.extend(policy.spec.secondary.require_ext_jwt_signer.clone());
    let signers: Vec<_> = named
        .iter()
        .map(|id| {
            let key = RecordKey::root(SIGNER, controller.engine.allocate(SIGNER));
            (key, signer(controller, id))
        })
        .collect();
    let key = RecordKey::root(AUTH_POLICY, controller.engine.allocate(AUTH_POLICY));
    modify_store(controller, move |rows| {
        for (key, signer) in &signers {
            let by_id = UniqueValue::new(UniqueIndex::SignerId, signer.id.as_str());
            if rows.rows().locate(&by_id).unwrap().is_none() {
                rows.insert(key, signer).unwrap();
            }
        }
        rows.insert(&key, &policy).unwrap();
    })
    .await;
}

/// Adds the policy [`STRICT`].
pub(crate) async fn add_strict_policy(controller: &Harness) {
    add_policy(controller, STRICT, |policy| {
        policy.spec.secondary.require_totp = true;
    })
    .await;
}

/// Redeems a token with a CSR.
pub(crate) async fn redeem(controller: &Harness, token: &str, csr: &str) -> Reply {
    controller
        .request(Method::POST, &format!("/enroll?method=ott&token={token}"))
        .text("application/x-pem-file", csr)
        .send()
        .await
}

/// All identities and enrollments as the API lists them.
pub(crate) async fn identities_and_enrollments(
    controller: &Harness,
    admin: &str,
) -> (Value, Value) {
    let all = "filter=true%20limit%20none";
    let identities = get(controller, admin, &format!("/identities?{all}")).await;
    let enrollments = get(controller, admin, &format!("/enrollments?{all}")).await;
    (identities.data(), enrollments.data())
}

/// Requests the current API session of a token.
/// Changes an auth policy without the rules of any operation.
pub(crate) async fn modify_policy(
    controller: &Harness,
    id: &str,
    change: impl Fn(&mut AuthPolicy) + Send + 'static,
) {
    edit_entity(controller, UniqueIndex::AuthPolicyId, id, change).await;
}

pub(crate) async fn current_session(controller: &Harness, token: &str) -> Reply {
    controller
        .request(Method::GET, "/current-api-session")
        .session(token)
        .send()
        .await
}

/// Logs in with the default password.
pub(crate) async fn log_in(controller: &Harness, name: &str) -> Reply {
    log_in_with_password(controller, name, PASSWORD).await
}

/// Logs in with a password.
pub(crate) async fn log_in_with_password(
    controller: &Harness,
    name: &str,
    password: &str,
) -> Reply {
    controller
        .request(Method::POST, "/authenticate?method=password")
        .json(&json!({"username": name, "password": password}))
        .send()
        .await
}

/// Logs in with a certificate.
pub(crate) async fn log_in_by_certificate(controller: &Harness, chain: &[Certificate]) -> Reply {
    controller
        .request(Method::POST, "/authenticate?method=cert")
        .certificates(chain)
        .json(&json!({}))
        .send()
        .await
}

/// The id of the identity with a name.
pub(crate) async fn find_identity_id(controller: &Harness, admin: &str, name: &str) -> String {
    let name = name.replace(' ', "%20");
    let path = format!("/identities?filter=name%3D%22{name}%22");
    let list = get(controller, admin, &path).await.data();
    text(&list[0], "id").to_owned()
}

/// Disables an identity.
pub(crate) async fn disable_identity(controller: &Harness, admin: &str, id: &str) {
    let request = controller.manage(Method::POST, &format!("/identities/{id}/disable"), admin);
    let reply = request.json(&json!({"durationMinutes": 0})).send().await;
    assert_eq!(reply.json(), json!({"data": {}, "meta": {}}));
}

/// Creates an identity with an enrollment: its id, and the enrollment as the identity shows it.
pub(crate) async fn create_with_enrollment(
    controller: &Harness,
    admin: &str,
    name: &str,
    how: Value,
) -> (String, Value) {
    let id = create(controller, admin, name, json!({"enrollment": how})).await;
    let method = if how.get("ott").is_some() {
        "ott"
    } else {
        "updb"
    };
    let pending = pending_enrollment(controller, admin, &id, method).await;
    (id, pending)
}

/// Redeems a token with a password.
pub(crate) async fn redeem_with_password(
    controller: &Harness,
    token: &str,
    password: &str,
) -> Reply {
    controller
        .request(Method::POST, &format!("/enroll?method=updb&token={token}"))
        .json(&json!({"password": password}))
        .send()
        .await
}

/// Status and code of a 400 response.
pub(crate) fn bad_request(name: &str) -> (u16, String) {
    (400, name.to_owned())
}

/// The body of an error response without its request id.
pub(crate) fn error_body(reply: &Reply) -> Value {
    let mut body = reply.json();
    assert!(body["error"]["requestId"].take().is_string());
    body
}

/// Status and body of an error response, for snapshots.
pub(crate) fn shown_error(reply: &Reply) -> String {
    format!("{}\n{:#}", reply.status, error_body(reply))
}
