//! `portcullis renew`.

use crate::commands::enroll::with_csr::parse_chain_for_key;
use crate::commands::login::complete;
use crate::context::Context;
use crate::error::CliError;
use crate::files::{Existing, PrivateFile};
use crate::identity_file::{IdentityFile, REFUSED_HINT};
use crate::mfa_code::LoginCodeArgs;
use crate::shell;
use crate::table::Table;
use clap::Args;
use portcullis_client::{Api, Client};
use portcullis_command_line::KeyTypeArg;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_pki::{Certificate, SigningKey, Subject, create_csr};
use serde_json::json;
use std::path::PathBuf;
use zeroize::Zeroizing;

const EXAMPLES: &str = "\
Logs in with the certificate in the file, obtains a new one and confirms it, which invalidates the
previous one. The file is replaced atomically. Only certificates issued by the network can be
renewed. If you are enrolled in TOTP, you are prompted for a code.

Examples:
  portcullis renew --identity laptop.json
  portcullis renew --identity laptop.json --new-key --key-type p384";

/// Disk space to reserve for a certificate chain and a key.
const RESERVED_BYTES: usize = 32 * 1024;

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
    key_type: KeyTypeArg,

    #[command(flatten)]
    code: LoginCodeArgs,
}

/// A key with its PEM encoding.
struct RenewalKey {
    signing: SigningKey,
    pem: Zeroizing<String>,
}

impl RenewArgs {
    /// Loads or generates the key for the new certificate.
    fn key(&self, file: &IdentityFile) -> Result<RenewalKey, CliError> {
        let unusable = || CliError::failed("cannot use the key for the new certificate");
        if !self.new_key {
            let pem = file.key_pem()?;
            let signing = SigningKey::from_pem(&pem).map_err(|error| {
                unusable()
                    .with_source(error)
                    .hint("use `--new-key` to generate a new one")
            })?;
            return Ok(RenewalKey { signing, pem });
        }
        let signing = SigningKey::generate(self.key_type.into())
            .map_err(|error| unusable().with_source(error))?;
        let pem = signing
            .to_pkcs8_pem()
            .map_err(|error| unusable().with_source(error))?;
        Ok(RenewalKey { signing, pem })
    }
}

pub(crate) async fn run(context: &Context, arguments: RenewArgs) -> Result<(), CliError> {
    let path = &arguments.identity;
    let mut identity = IdentityFile::read(path)?;
    let key = arguments.key(&identity)?;
    let codes = arguments.code.source()?;
    // Everything that can fail locally comes before the old certificate is replaced.
    let mut file = PrivateFile::prepare(path, Existing::Replace)?;
    file.reserve(identity.to_json()?.len() + RESERVED_BYTES)?;

    let url = identity.url()?;
    let client = context
        .client(&url, identity.trust()?)
        .certificate(identity.client_certificate()?)
        .build()?;
    let session = client.authenticate_with_certificate(Api::Client).await;
    let session = session.map_err(|error| CliError::from_login(error, REFUSED_HINT))?;
    let client = client.with_session(session.token.clone());
    let id = AuthenticatorId::from_wire(&session.authenticator_id);
    let renewed = async {
        complete::answer_queries(&client, &session, &codes)
            .await?
            .require_full()?;
        let write = |chain: &[Certificate]| {
            let new_key = arguments.new_key.then_some(key.pem.as_str());
            identity.replace_certificate(chain, new_key);
            let json = identity.to_json()?;
            file.write_draft(&json)?;
            Ok(json)
        };
        obtain_certificate(&client, &id, &key, write).await
    };
    let renewed = renewed.await;
    // If this fails, the session expires.
    let _ = client.log_out(Api::Client).await;
    let (cert, json) = renewed?;
    file.finish_or_preserve(&json)
        .map_err(|error| error.hint("the previous certificate is no longer valid"))?;
    report(context, &arguments, &cert)
}

/// Obtains a certificate and confirms it. `write` saves the file content before that, so that only
/// replacing the file can fail afterwards.
async fn obtain_certificate(
    client: &Client,
    id: &AuthenticatorId,
    key: &RenewalKey,
    write: impl FnOnce(&[Certificate]) -> Result<Zeroizing<Vec<u8>>, CliError>,
) -> Result<(String, Zeroizing<Vec<u8>>), CliError> {
    let subject = Subject::new().common_name(id.as_str());
    let csr = create_csr(&key.signing, &subject)
        .map_err(|error| CliError::failed("the CSR could not be created").with_source(error))?;
    let extended = client.extend(id, &csr).await?;
    let cert = extended.client_cert;
    let content = write(&parse_chain_for_key(&cert, &key.signing)?)?;
    client.confirm_extension(id, &cert).await?;
    Ok((cert, content))
}

fn report(context: &Context, arguments: &RenewArgs, cert: &str) -> Result<(), CliError> {
    let path = arguments.identity.display().to_string();
    let end = Certificate::from_pem(cert).map(|leaf| leaf.not_after().to_string());
    let end = end.unwrap_or_default();
    let result = json!({"file": path, "validUntil": end, "newKey": arguments.new_key});
    context.output.write_result(&result, || {
        let next = format!("portcullis whoami --identity {}", shell::quote(&path));
        Table::with_properties()
            .property("renewed", &path)
            .property("valid until", &end)
            .next(Some(next))
    })
}
