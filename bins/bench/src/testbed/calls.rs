//! Sequences of requests that loads need, and what their answers say.

use super::controller::{ADMIN, Controller, PASSWORD};
use super::credential::Credential;
use super::link::Link;
use super::request::{self, CLIENT, MANAGEMENT};
use anyhow::{Context as _, ensure};
use portcullis_pki::{KeyType, SigningKey, Subject, certificates_from_pem, create_csr};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The status of a refusal to wait, or to go on.
pub(crate) const REFUSED: u16 = 503;

/// The longest that the first list may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Logs the administrator in; answers the token of the session.
pub(crate) async fn log_in(link: &mut Link) -> anyhow::Result<String> {
    let login = request::password_login(ADMIN, PASSWORD);
    token(link.expect(200, &login).await?)
}

/// Creates an identity, reads its token and redeems it; answers the certificates as PEM.
pub(crate) async fn create_and_enroll(
    link: &mut Link,
    admin: &str,
    name: &str,
    csr: &str,
) -> anyhow::Result<String> {
    let token = create_with_token(link, admin, name).await?;
    let enrolled = json(link.expect(200, &redemption(&token, csr)).await?)?;
    text(&enrolled, "/data/cert")
}

/// Creates an identity, and enrolls it with a key of its own.
pub(crate) async fn enroll(link: &mut Link, admin: &str, name: &str) -> anyhow::Result<Credential> {
    let key = SigningKey::generate(KeyType::P256)?;
    let csr = create_csr(&key, &Subject::new().common_name(name))?;
    let pem = create_and_enroll(link, admin, name, &csr).await?;
    let chain = certificates_from_pem(&pem)?;
    Ok(Credential { key, chain })
}

/// Creates an entity of a kind, which is named as in the management API; answers its id.
pub(crate) async fn create(
    link: &mut Link,
    admin: &str,
    kind: &str,
    entity: &Value,
) -> anyhow::Result<String> {
    let path = format!("{MANAGEMENT}/{kind}");
    let create = request::post(&path, Some(admin), &entity.to_string());
    let created = link.expect(201, &create).await;
    text_of(
        created.with_context(|| format!("{kind}: {entity}"))?,
        "/data/id",
    )
}

/// Creates an identity and reads the token of its enrollment.
pub(crate) async fn create_with_token(
    link: &mut Link,
    admin: &str,
    name: &str,
) -> anyhow::Result<String> {
    let created = json(link.expect(201, &request::create(name, admin)).await?)?;
    let id = text(&created, "/data/id")?;
    let path = format!("{MANAGEMENT}/identities/{id}");
    let detail = json(link.expect(200, &request::get(&path, Some(admin))).await?)?;
    text(&detail, "/data/enrollment/ott/token")
}

/// The redemption of a token with a request for a certificate.
pub(crate) fn redemption(token: &str, csr: &str) -> Vec<u8> {
    let body = serde_json::json!({ "clientCsr": csr }).to_string();
    let path = format!("{CLIENT}/enroll?method=ott&token={token}");
    request::post(&path, None, &body)
}

/// The token in the answer to a login.
pub(crate) fn token(answer: &[u8]) -> anyhow::Result<String> {
    text_of(answer, "/data/token")
}

/// How many entities a list says there are.
pub(crate) fn total(list: &[u8]) -> anyhow::Result<u64> {
    json(list)?
        .pointer("/meta/pagination/totalCount")
        .and_then(Value::as_u64)
        .context("the list tells no count")
}

/// Asks for a list until there is an answer: lists wait for the read model, but not for ever.
pub(crate) async fn wait_for_list(controller: &Controller, request: &[u8]) -> anyhow::Result<()> {
    let endpoint = controller.endpoint(None)?;
    let begin = Instant::now();
    loop {
        // A refusal ends a connection.
        let mut link = endpoint.connect().await?;
        if link.exchange(request).await?.status != REFUSED {
            link.expect(200, request).await?;
            return Ok(());
        }
        ensure!(begin.elapsed() < PATIENCE, "lists are not ready");
    }
}

/// The text at a place of an answer.
pub(crate) fn text_of(answer: &[u8], pointer: &str) -> anyhow::Result<String> {
    text(&json(answer)?, pointer)
}

fn json(answer: &[u8]) -> anyhow::Result<Value> {
    serde_json::from_slice(answer).context("the answer is no JSON")
}

fn text(answer: &Value, pointer: &str) -> anyhow::Result<String> {
    answer
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .with_context(|| format!("the answer has no {pointer}"))
}
