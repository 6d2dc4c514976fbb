//! Creates a hundred identities, a few at a time, and writes their enrollment tokens to standard
//! output.
//!
//! ```sh
//! portcullis-controller quickstart --home home --password correct-horse     # in another terminal
//! cargo run -p portcullis-client --example create_identities -- \
//!     https://localhost:1280 home/ca.pem correct-horse
//! ```
//!
//! Arguments that are missing are taken from `PORTCULLIS_URL`, `PORTCULLIS_CA` and
//! `PORTCULLIS_PASSWORD`.

#![expect(clippy::print_stdout, reason = "the tokens are the result")]

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use portcullis_client::api::identity::{IdentityCreate, IdentityCreateEnrollment, IdentityDetail};
use portcullis_client::{Api, Client, ClientError, Credentials, RetryPolicy, Trust};
use secrecy::ExposeSecret as _;
use std::error::Error;
use std::{env, fs};

/// Requests at a time. The controller writes what arrives together to the disk together.
const CONCURRENCY: usize = 16;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut setting = |variable: &str| {
        let given = arguments.next().or_else(|| env::var(variable).ok());
        given.ok_or_else(|| format!("pass URL, CA file and password, or set {variable}"))
    };
    let url = setting("PORTCULLIS_URL")?.parse()?;
    let trust = Trust::from_pem(&fs::read(setting("PORTCULLIS_CA")?)?)?;
    let credentials = Credentials::password("admin", setting("PORTCULLIS_PASSWORD")?);

    let client = Client::builder(&url, trust)
        .retry(RetryPolicy::standard())
        .build()?;
    let client = client.log_in(Api::Management, credentials).await?.client;

    let names = (0..100).map(|number| format!("example-{number:02}"));
    let tokens = stream::iter(names.map(|name| create(&client, name)))
        .buffer_unordered(CONCURRENCY)
        .try_collect::<Vec<_>>()
        .await?;
    for (name, token) in tokens {
        println!("{name}\t{token}");
    }
    client.log_out(Api::Management).await?;
    Ok(())
}

/// Creates an identity and fetches its enrollment token.
async fn create(client: &Client, name: String) -> Result<(String, String), ClientError> {
    let mut body = IdentityCreate::named(&name);
    body.enrollment = Some(IdentityCreateEnrollment::ott());
    let id = client.create_entity::<IdentityDetail>(&body).await?;

    let identity = client.entity::<IdentityDetail>(&id).await?;
    let token = identity.enrollment.ott.and_then(|ott| ott.jwt);
    Ok((
        name,
        token.map_or_else(String::new, |jwt| jwt.expose_secret().to_owned()),
    ))
}
