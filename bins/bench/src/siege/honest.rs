//! Honest clients: each has an address of its own, asks now and then, and waits for its answer.

mod client;

use super::honest_address;
use super::journal::{Journal, Operation};
use super::scene::{Careful, Scene};
use crate::testbed::calls::{text_of, token};
use crate::testbed::controller::PASSWORD;
use crate::testbed::link::Endpoint;
use crate::testbed::request::{self, CLIENT, MANAGEMENT};
use client::Client;
use portcullis_domain::clock::Clock as _;
use portcullis_domain::mfa::TimeStep;
use portcullis_system::SystemClock;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Pauses between requests.
const LOGIN_PAUSE: Duration = Duration::from_millis(1500);
const PAUSE: Duration = Duration::from_millis(200);

/// Has all of them ask until what is answered is dropped.
pub(super) fn begin(scene: &Scene, journal: &Arc<Journal>) -> JoinSet<()> {
    let mut clients = JoinSet::new();
    let mut addresses = (0..).map(honest_address);
    let mut client = |endpoint: &Endpoint| {
        let address = addresses.next().unwrap_or(honest_address(0));
        Client::new(endpoint.with_source(address), Arc::clone(journal))
    };
    for username in scene.people.clone() {
        clients.spawn(log_in_with_password(client(&scene.endpoint), username));
    }
    for careful in scene.careful.clone() {
        clients.spawn(give_codes(client(&scene.endpoint), careful));
    }
    for device in &scene.devices {
        clients.spawn(log_in_with_certificate(client(device)));
    }
    let own = format!("{CLIENT}/current-identity");
    let list = format!("{MANAGEMENT}/identities?limit=10");
    for (operation, path) in [(Operation::CurrentIdentity, own), (Operation::List, list)] {
        let request = request::get(&path, Some(&scene.admin));
        clients.spawn(ask(client(&scene.endpoint), operation, request));
    }
    clients.spawn(create(client(&scene.endpoint), scene.admin.clone()));
    clients
}

async fn log_in_with_password(mut client: Client, username: String) {
    let login = request::password_login(&username, PASSWORD);
    loop {
        client.disconnect();
        if let Some(answer) = client.ask(Operation::PasswordLogin, &login, 200).await {
            log_out(&mut client, &answer).await;
        }
        sleep(LOGIN_PAUSE).await;
    }
}

async fn log_in_with_certificate(mut client: Client) {
    let login = request::certificate_login();
    loop {
        client.disconnect();
        if let Some(answer) = client.ask(Operation::CertificateLogin, &login, 200).await {
            log_out(&mut client, &answer).await;
        }
        sleep(LOGIN_PAUSE).await;
    }
}

/// Logs in with a password and then a code, which is another one every thirty seconds.
async fn give_codes(mut client: Client, mut careful: Careful) {
    let login = request::password_login(&careful.username, PASSWORD);
    loop {
        while TimeStep::at(SystemClock.now()) <= careful.last {
            sleep(PAUSE).await;
        }
        client.disconnect();
        let opened = client.ask(Operation::PasswordLogin, &login, 200).await;
        if let Some(session) = opened.and_then(|answer| token(&answer).ok()) {
            careful.last = TimeStep::at(SystemClock.now());
            let code = careful.secret.code_at(careful.last);
            let body = json!({ "code": code.as_str() }).to_string();
            let path = format!("{CLIENT}/authenticate/mfa");
            let answer = request::post(&path, Some(&session), &body);
            client.ask(Operation::SecondFactor, &answer, 200).await;
            end(&mut client, &session).await;
        }
        sleep(PAUSE).await;
    }
}

/// Asks for one thing over a kept connection.
async fn ask(mut client: Client, operation: Operation, request: Vec<u8>) {
    loop {
        client.ask(operation, &request, 200).await;
        sleep(PAUSE).await;
    }
}

/// Creates identities, and deletes them so that there are never many.
async fn create(mut client: Client, admin: String) {
    for number in 0_u64.. {
        let create = request::create(&format!("made-{number}"), &admin);
        if let Some(answer) = client.ask(Operation::Create, &create, 201).await
            && let Ok(id) = text_of(&answer, "/data/id")
        {
            let path = format!("{MANAGEMENT}/identities/{id}");
            client.tell(&request::delete(&path, Some(&admin))).await;
        }
        sleep(PAUSE).await;
    }
}

async fn log_out(client: &mut Client, login: &[u8]) {
    if let Ok(session) = token(login) {
        end(client, &session).await;
    }
}

async fn end(client: &mut Client, session: &str) {
    let path = format!("{CLIENT}/current-api-session");
    client.tell(&request::delete(&path, Some(session))).await;
}
