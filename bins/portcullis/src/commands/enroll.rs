//! `portcullis enroll`: from a token to an identity file or a password.

use crate::context::Context;
use crate::error::CliError;
use crate::files::{self, Existing, PrivateFile};
use crate::identity_file::IdentityFile;
use crate::password::PasswordArgs;
use crate::shell;
use crate::table::Table;
use crate::token::UnverifiedToken;
use clap::{Args, ValueEnum};
use portcullis_client::{Client, Trust, first_contact};
use portcullis_pki::{
    Certificate, EnrollmentClaims, KeyType, SigningKey, Subject, certificates_from_pem, make_csr,
    pkcs7,
};
use secrecy::SecretString;
use serde::Serialize;
use std::path::{Path, PathBuf};
use url::Url;

const EXAMPLES: &str = "\
The token is verified with the certificate that its controller shows, the key is made here and stays
here, and the result is an identity file that OpenZiti clients read. A token for a username and
password asks for the password that is to be yours, and writes no file.

Examples:
  portcullis enroll laptop.jwt                   writes laptop.json
  portcullis enroll laptop.jwt --key-type rsa2048 --out /etc/ziti/laptop.json
  portcullis enroll anna.jwt --password-file -   for a username and password";

/// Room for a certificate with its intermediates.
const ROOM: usize = 16 * 1024;

/// Arguments of `enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// File that holds the token; `-` for the standard input
    #[arg(value_name = "TOKEN")]
    token: PathBuf,

    /// Identity file to write; named like the token file, with `.json`, if left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the identity file if it is there already; a symbolic link is followed, and a pipe
    /// or a device is written into
    #[arg(long)]
    force: bool,

    /// Kind of the key
    #[arg(long, value_enum, default_value_t)]
    key_type: KeyKind,

    #[command(flatten)]
    password: PasswordArgs,
}

/// Kinds of keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum KeyKind {
    /// ECDSA over NIST P-256
    #[default]
    P256,
    /// ECDSA over NIST P-384
    P384,
    /// RSA of 2048 bits
    Rsa2048,
    /// RSA of 4096 bits
    Rsa4096,
}

impl From<KeyKind> for KeyType {
    fn from(kind: KeyKind) -> Self {
        match kind {
            KeyKind::P256 => Self::P256,
            KeyKind::P384 => Self::P384,
            KeyKind::Rsa2048 => Self::Rsa2048,
            KeyKind::Rsa4096 => Self::Rsa4096,
        }
    }
}

/// A controller that has proved to be the one that issued a token.
struct Issuer {
    url: Url,
    client: Client,
    authorities: Vec<Certificate>,
}

/// The result for programs.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Enrolled {
    identity_id: String,
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
}

pub(crate) async fn run(context: &Context, arguments: EnrollArgs) -> Result<(), CliError> {
    let token = UnverifiedToken::read(&files::read_text(&arguments.token)?)?;
    let (claims, issuer) = meet_issuer(context, &token).await?;
    let mut result = Enrolled {
        identity_id: claims.sub.clone(),
        url: crate::controller_url::shown(&issuer.url),
        ..Enrolled::default()
    };
    match claims.em.as_str() {
        "ott" => {
            let path = out(&arguments)?;
            by_certificate(&issuer, claims, &arguments, &path).await?;
            result.file = Some(path.display().to_string());
        },
        "updb" => result.username = Some(by_password(&issuer, claims, &arguments).await?),
        other => {
            return Err(
                CliError::failed(format!("tokens for `{other}` are not redeemed here"))
                    .hint("`portcullis enroll` takes tokens for `ott` and `updb`"),
            );
        },
    }
    context.output.result(&result, || {
        let table = Table::of_properties()
            .property("enrolled at", &result.url)
            .property("identity", &result.identity_id)
            .property("file", result.file.as_deref().unwrap_or_default())
            .property("username", result.username.as_deref().unwrap_or_default());
        match result.next_step() {
            Some(next) => table.footer(format!("next: {next}")),
            None => table,
        }
    })
}

impl Enrolled {
    /// The command that shows that it worked.
    fn next_step(&self) -> Option<String> {
        if let Some(file) = &self.file {
            return Some(format!(
                "portcullis whoami --identity {}",
                shell::word(file)
            ));
        }
        let username = shell::word(self.username.as_deref()?);
        let url = shell::word(&self.url);
        Some(format!("portcullis login {url} --username {username}"))
    }
}

/// Verifies a token as clients of OpenZiti do: by the certificate that its issuer shows, which then
/// vouches for the authorities, which then vouch for the connection over which the token goes.
async fn meet_issuer(
    context: &Context,
    token: &UnverifiedToken,
) -> Result<(EnrollmentClaims, Issuer), CliError> {
    let url = token.issuer().clone();
    let chain = first_contact::peer_chain(&url, context.timeout).await?;
    let leaf = chain.into_iter().next();
    let leaf = leaf.ok_or_else(|| CliError::failed("the controller shows no certificate"))?;
    let claims = token.verify(&leaf, context.now())?;

    let pinned = context.client(&url, Trust::exact_leaf(leaf)).build()?;
    let authorities = pkcs7::read_base64(&pinned.ca_bundle().await?).map_err(|error| {
        CliError::failed("the authorities of the controller cannot be read").because(error)
    })?;
    let anchors = authorities.iter().map(|one| one.as_rustls().clone());
    let client = context.client(&url, Trust::anchors(anchors)).build()?;
    let issuer = Issuer {
        url,
        client,
        authorities,
    };
    Ok((claims, issuer))
}

/// The identity file to write.
fn out(arguments: &EnrollArgs) -> Result<PathBuf, CliError> {
    match &arguments.out {
        Some(path) => Ok(path.clone()),
        None if arguments.token == Path::new("-") => {
            Err(CliError::usage("there is no name for the identity file").hint("add `--out FILE`"))
        },
        None => Ok(arguments.token.with_extension("json")),
    }
}

async fn by_certificate(
    issuer: &Issuer,
    claims: EnrollmentClaims,
    arguments: &EnrollArgs,
    path: &Path,
) -> Result<(), CliError> {
    let existing = if arguments.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    // All that can fail here is done before the token is spent.
    let mut file = PrivateFile::prepare(path, existing)?;
    let key = SigningKey::generate(arguments.key_type.into())
        .map_err(|error| CliError::failed("no key can be made").because(error))?;
    let key_pem = key
        .to_pkcs8_pem()
        .map_err(|error| CliError::failed("the key cannot be written").because(error))?;
    let csr = make_csr(&key, &Subject::new().common_name(&claims.sub))
        .map_err(|error| CliError::failed("no certificate can be requested").because(error))?;

    let draft = IdentityFile::new(&issuer.url, &key_pem, "", &issuer.authorities);
    file.reserve(draft.to_json()?.len() + ROOM)?;

    let result = issuer
        .client
        .enroll_with_csr(claims.jti.into(), &csr)
        .await?;
    let cert = result.cert.unwrap_or_default();
    if !is_for(&cert, &key) {
        return Err(CliError::failed(
            "the controller answered without a certificate for the key",
        ));
    }
    let identity = IdentityFile::new(&issuer.url, &key_pem, &cert, &issuer.authorities);
    file.finish_or_keep(&identity.to_json()?)
        .map_err(|error| error.hint("the token is spent, and no other identity file comes of it"))
}

/// Whether the first certificate of `pem` is for `key`.
fn is_for(pem: &str, key: &SigningKey) -> bool {
    let chain = certificates_from_pem(pem).unwrap_or_default();
    let certified = chain.first().and_then(|leaf| leaf.public_key().ok());
    certified.is_some_and(|certified| certified.as_der() == key.public_key().as_der())
}

async fn by_password(
    issuer: &Issuer,
    claims: EnrollmentClaims,
    arguments: &EnrollArgs,
) -> Result<String, CliError> {
    if arguments.out.is_some() {
        return Err(
            CliError::usage("this token is for a username and password; there is no file")
                .hint("leave `--out` out"),
        );
    }
    let password = arguments.password.obtain("Password of your choice", true)?;
    let token = SecretString::from(claims.jti);
    let result = issuer.client.enroll_with_password(token, password).await?;
    Ok(result.username.unwrap_or_default())
}
