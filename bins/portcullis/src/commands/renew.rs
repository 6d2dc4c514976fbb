//! `portcullis renew`.

use crate::code::AnswerArgs;
use crate::commands::enroll::by_request::chain_for;
use crate::commands::enroll::key_kind::KeyKind;
use crate::commands::login::complete;
use crate::context::Context;
use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::identity_file::IdentityFile;
use crate::shell;
use crate::table::Table;
use clap::Args;
use portcullis_client::{Api, Client};
use portcullis_domain::ids::AuthenticatorId;
use portcullis_pki::{Certificate, SigningKey, Subject, make_csr};
use serde_json::json;
use std::path::PathBuf;
use zeroize::Zeroizing;

const EXAMPLES: &str = "\
This logs in with the certificate of the file, obtains a new one, and confirms it; from
then on the previous one is no longer valid. The file is replaced atomically. Only certificates that
the network issued can be renewed. If you are enrolled in TOTP, you are asked for a code.

Examples:
  portcullis renew --identity laptop.json
  portcullis renew --identity laptop.json --new-key --key-type p384";

/// Room for a certificate with its intermediates, and for a key.
const ROOM: usize = 32 * 1024;

/// Arguments of `renew`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RenewArgs {
    /// Identity file whose certificate to renew
    #[arg(long, value_name = "FILE")]
    identity: PathBuf,

    /// Generate a new key as well
    #[arg(long)]
    new_key: bool,

    /// Type of the new key
    #[arg(long, value_enum, requires = "new_key", default_value_t)]
    key_type: KeyKind,

    #[command(flatten)]
    answer: AnswerArgs,
}

/// A key, and how it is written.
struct Key {
    signing: SigningKey,
    pem: Zeroizing<String>,
}

impl RenewArgs {
    /// The key that the new certificate is to be for.
    fn key(&self, file: &IdentityFile) -> Result<Key, CliError> {
        let unusable = || CliError::failed("the key for the new certificate cannot be used");
        if !self.new_key {
            let pem = file.key()?;
            let signing = SigningKey::from_pem(&pem).map_err(|error| {
                unusable()
                    .because(error)
                    .hint("use `--new-key` to generate another one")
            })?;
            return Ok(Key { signing, pem });
        }
        let signing = SigningKey::generate(self.key_type.into())
            .map_err(|error| unusable().because(error))?;
        let pem = signing
            .to_pkcs8_pem()
            .map_err(|error| unusable().because(error))?;
        Ok(Key { signing, pem })
    }
}

pub(crate) async fn run(context: &Context, arguments: RenewArgs) -> Result<(), CliError> {
    let path = &arguments.identity;
    let mut identity = IdentityFile::read(path)?;
    let key = arguments.key(&identity)?;
    let codes = arguments.answer.codes()?;
    // All that can fail here is done before the old certificate is given up.
    let mut file = PrivateFile::prepare(path, Existing::Replace)?;
    file.reserve(identity.to_json()?.len() + ROOM)?;

    let url = identity.url()?;
    let client = context
        .client(&url, identity.trust()?)
        .certificate(identity.certificate()?)
        .build()?;
    let session = client.authenticate_with_certificate(Api::Client).await;
    let session = session.map_err(|error| {
        CliError::of_login(error, "enroll again: ask an administrator for a new token")
    })?;
    let client = client.with_session(session.token.clone());
    let id = AuthenticatorId::from_wire(&session.authenticator_id);
    let renewed = async {
        complete::run(&client, &session, &codes)
            .await?
            .require_full()?;
        let write = |chain: &[Certificate]| {
            let new_key = arguments.new_key.then_some(key.pem.as_str());
            identity.renew(chain, new_key);
            let json = identity.to_json()?;
            file.fill(&json)?;
            Ok(json)
        };
        exchange(&client, &id, &key, write).await
    };
    let renewed = renewed.await;
    // If the session cannot be ended, it ends by itself.
    let _ = client.log_out(Api::Client).await;
    let (cert, json) = renewed?;
    file.finish_or_keep(&json)
        .map_err(|error| error.hint("the previous certificate is no longer valid"))?;
    report(context, &arguments, &cert)
}

/// Obtains a certificate and confirms it. What is to be kept is written out before that, so that
/// nothing but the file itself can fail afterwards.
async fn exchange(
    client: &Client,
    id: &AuthenticatorId,
    key: &Key,
    write: impl FnOnce(&[Certificate]) -> Result<Zeroizing<Vec<u8>>, CliError>,
) -> Result<(String, Zeroizing<Vec<u8>>), CliError> {
    let subject = Subject::new().common_name(id.as_str());
    let csr = make_csr(&key.signing, &subject)
        .map_err(|error| CliError::failed("the CSR could not be created").because(error))?;
    let extended = client.extend(id, &csr).await?;
    let cert = extended.client_cert;
    let content = write(&chain_for(&cert, &key.signing)?)?;
    client.confirm_extension(id, &cert).await?;
    Ok((cert, content))
}

fn report(context: &Context, arguments: &RenewArgs, cert: &str) -> Result<(), CliError> {
    let path = arguments.identity.display().to_string();
    let end = Certificate::from_pem(cert).map(|leaf| leaf.not_after().to_string());
    let end = end.unwrap_or_default();
    let result = json!({"file": path, "validUntil": end, "newKey": arguments.new_key});
    context.output.result(&result, || {
        let next = format!("portcullis whoami --identity {}", shell::word(&path));
        Table::of_properties()
            .property("renewed", &path)
            .property("valid until", &end)
            .footer(format!("next: {next}"))
    })
}
