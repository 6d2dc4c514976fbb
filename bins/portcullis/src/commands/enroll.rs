//! `portcullis enroll`: from a token to an identity file, a password, or a login by JWT.

mod by_certificate;
pub(crate) mod by_request;
mod enrolled;
mod issuer;
pub(crate) mod key_kind;
mod out;
mod refusal;

use crate::context::Context;
use crate::credential::{CertificateArgs, Credential};
use crate::error::CliError;
use crate::ext_jwt;
use crate::files;
use crate::password::PasswordArgs;
use crate::token::UnverifiedToken;
use clap::{Args, ValueEnum};
use enrolled::Enrolled;
use issuer::Issuer;
use key_kind::KeyKind;
use out::Out;
use portcullis_domain::clock::Timestamp;
use portcullis_pki::EnrollmentClaims;
use secrecy::SecretString;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The token is verified with the certificate of its controller. What else is needed
depends on its method, which the administrator chose:

  ott      nothing; the key is generated here, and stays here
  updb     the password that you choose
  ottca    --cert and --key, of a third-party CA
  ca       the same; every holder of a certificate of the CA becomes an identity
  network  --ext-jwt, a JWT of an external signer; each holder becomes an identity. The token
           comes from `portcullis ext-jwt-signer network-jwt`

The result is an identity file that OpenZiti clients can read, with mode 0600. It contains the key,
also that of a given certificate. With a password, or --to token, no file is written.

Examples:
  portcullis enroll laptop.jwt                   writes laptop.json
  portcullis enroll laptop.jwt --key-type rsa2048 --out /etc/ziti/laptop.json
  portcullis enroll anna.jwt --password-file -   for a username and password
  portcullis enroll server.jwt --cert server.pem --key server.key
  portcullis enroll network.jwt --ext-jwt anna.token --out anna.json";

/// Arguments of `enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// File with the token; `-` for the standard input
    #[arg(value_name = "TOKEN")]
    token: PathBuf,

    /// Identity file to write; if left out, the name of the token file with `.json`
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace the identity file if it exists; a symbolic link is followed, and a pipe
    /// or a device is written into
    #[arg(long)]
    force: bool,

    /// Type of the key, if one is generated; `p256` if left out
    #[arg(long, value_name = "KIND", value_enum)]
    key_type: Option<KeyKind>,

    #[command(flatten)]
    certificate: CertificateArgs,

    /// Requested name, with a token for `ca`; the CA's name format may override it
    #[arg(long, value_parser = crate::words::not_blank)]
    name: Option<String>,

    /// File with a JWT of an external signer, for a token of the network; `-` for the standard
    /// input
    #[arg(long, value_name = "FILE", conflicts_with = "cert")]
    ext_jwt: Option<PathBuf>,

    /// How the identity will log in, with --ext-jwt
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        requires = "ext_jwt",
        default_value_t
    )]
    to: Aim,

    /// Requested username. Controllers ignore it: the administrator chose it
    #[arg(long, value_name = "USERNAME", value_parser = crate::words::not_blank)]
    username: Option<String>,

    #[command(flatten)]
    password: PasswordArgs,
}

/// How tokens are redeemed.
const METHODS: [&str; 5] = ["ott", "updb", "ottca", "ca", "network"];

/// What somebody with a JWT becomes an identity for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Aim {
    /// With a certificate of the network, in an identity file
    #[default]
    Certificate,
    /// With JWTs of the same signer
    Token,
}

pub(crate) async fn run(context: &Context, arguments: EnrollArgs) -> Result<(), CliError> {
    arguments.check()?;
    let token = UnverifiedToken::read(&files::read_text(&arguments.token)?)?;
    let (claims, issuer) = Issuer::meet(context, &token).await?;
    let mut result = Enrolled {
        url: crate::controller_url::shown(&issuer.url),
        ..Enrolled::default()
    };
    arguments.check_method(&claims.em)?;
    match claims.em.as_str() {
        "network" => {
            arguments
                .with_jwt(&issuer, context.now(), &mut result)
                .await?;
        },
        "ca" => {
            arguments
                .with_certificate(&issuer, None, context.now(), &mut result)
                .await?;
        },
        method => {
            result.identity_id = Some(claims.sub.clone());
            match method {
                "ottca" => {
                    let token = Some(claims.jti.into());
                    arguments
                        .with_certificate(&issuer, token, context.now(), &mut result)
                        .await?;
                },
                "updb" => result.username = Some(arguments.with_password(&issuer, claims).await?),
                _ => arguments.with_request(&issuer, claims, &mut result).await?,
            }
        },
    }
    context.output.result(&result, || result.table())
}

impl EnrollArgs {
    /// Refuses what would read two things from the standard input.
    fn check(&self) -> Result<(), CliError> {
        let stdin = Path::new("-");
        if self.token == stdin && self.ext_jwt.as_deref() == Some(stdin) {
            return Err(CliError::usage(
                "only one of the token and the JWT can be read from the standard input",
            ));
        }
        self.out
            .as_deref()
            .map_or(Ok(()), |out| self.check_out(out))
    }

    /// Refuses arguments that do not go with the method of the token, and asks for those that do.
    fn check_method(&self, method: &str) -> Result<(), CliError> {
        if !METHODS.contains(&method) {
            let fault = format!("tokens for the method `{method}` are not supported");
            let hint = "`portcullis enroll` supports `ott`, `updb`, `ottca`, `ca` and \
                        `network`";
            return Err(CliError::failed(fault).hint(hint));
        }
        let missing = match method {
            "ottca" | "ca" if self.certificate.cert.is_none() => Some((
                "this token needs a certificate of a third-party CA",
                "add `--cert FILE --key FILE`",
            )),
            "network" if self.ext_jwt.is_none() => Some((
                "this token needs a JWT of an external signer",
                "add `--ext-jwt FILE`; `portcullis ext-jwt-signer list --public` shows the signers",
            )),
            _ => None,
        };
        if let Some((fault, hint)) = missing {
            return Err(CliError::usage(fault).hint(hint));
        }
        match self.misfit(method) {
            None => Ok(()),
            Some(argument) => Err(CliError::usage(format!(
                "`{argument}` cannot be used with a token for `{method}`{}",
                if self.to == Aim::Token {
                    " and `--to token`"
                } else {
                    ""
                }
            ))
            .hint(format!("leave `{argument}` out"))),
        }
    }

    /// The first argument that would be of no use with a token for `method`.
    fn misfit(&self, method: &str) -> Option<&'static str> {
        let makes_key = match method {
            "ott" => true,
            "network" => self.to == Aim::Certificate,
            _ => false,
        };
        let has_file = makes_key || matches!(method, "ottca" | "ca");
        let arguments = [
            (
                "--cert",
                self.certificate.cert.is_some(),
                matches!(method, "ottca" | "ca"),
            ),
            ("--ext-jwt", self.ext_jwt.is_some(), method == "network"),
            ("--out", self.out.is_some(), has_file),
            ("--force", self.force, has_file),
            ("--key-type", self.key_type.is_some(), makes_key),
            ("--name", self.name.is_some(), method == "ca"),
            ("--username", self.username.is_some(), method == "updb"),
            ("--password", self.password.is_given(), method == "updb"),
        ];
        arguments
            .into_iter()
            .find_map(|(name, is_given, is_of_use)| (is_given && !is_of_use).then_some(name))
    }

    /// Refuses to write over a file that is read here, whatever its name. With `--force` that
    /// would be the end of somebody's key.
    fn check_out(&self, out: &Path) -> Result<(), CliError> {
        let CertificateArgs { cert, key } = &self.certificate;
        let sources = [
            ("the token", Some(self.token.as_path())),
            ("the certificate", cert.as_deref()),
            ("the key", key.as_deref()),
            ("the JWT", self.ext_jwt.as_deref()),
            ("the password", self.password.file()),
        ];
        for (what, path) in sources {
            if path.is_some_and(|path| files::is_same(path, out)) {
                let out = out.display();
                return Err(CliError::usage(format!(
                    "{out} already contains {what} and is not overwritten"
                ))
                .hint("choose another file with `--out`"));
            }
        }
        Ok(())
    }

    fn out(&self, result: &mut Enrolled) -> Result<Out, CliError> {
        let out = Out::new(self.out.as_deref(), &self.token, self.force)?;
        self.check_out(&out.path)?;
        result.file = Some(out.path.display().to_string());
        Ok(out)
    }

    async fn with_request(
        &self,
        issuer: &Issuer,
        claims: EnrollmentClaims,
        result: &mut Enrolled,
    ) -> Result<(), CliError> {
        let (out, client) = (self.out(result)?, issuer.client()?);
        let token = SecretString::from(claims.jti);
        let ask = async |csr: String| Ok(client.enroll_with_csr(token, &csr).await?);
        by_request::run(
            issuer,
            out,
            self.key_type.unwrap_or_default().into(),
            &claims.sub,
            ask,
        )
        .await
    }

    async fn with_certificate(
        &self,
        issuer: &Issuer,
        token: Option<SecretString>,
        now: Timestamp,
        result: &mut Enrolled,
    ) -> Result<(), CliError> {
        let missing = || CliError::usage("the certificate is missing");
        let credential: Credential = self.certificate.read()?.ok_or_else(missing)?;
        let (out, name) = (self.out(result)?, self.name.clone());
        let has_token = token.is_some();
        by_certificate::run(issuer, out, &credential, async |client| {
            let answer = match token {
                Some(token) => client.enroll_with_certificate(token).await,
                None => client.enroll_as_newcomer(name).await,
            };
            answer.map_err(|error| refusal::of_certificate(error, &credential, has_token, now))
        })
        .await
    }

    async fn with_jwt(
        &self,
        issuer: &Issuer,
        now: Timestamp,
        result: &mut Enrolled,
    ) -> Result<(), CliError> {
        let path = self.ext_jwt.clone().unwrap_or_default();
        let token = ext_jwt::read(&path)?;
        let end = ext_jwt::end(&token);
        let refused = |error| refusal::of_jwt(error, end, now);
        let client = issuer.client()?.with_bearer(token);
        if self.to == Aim::Token {
            client.enroll_with_jwt(None).await.map_err(refused)?;
            result.ext_jwt = Some(path.display().to_string());
            return Ok(());
        }
        let out = self.out(result)?;
        let ask = async |csr: String| client.enroll_with_jwt(Some(csr)).await.map_err(refused);
        by_request::run(
            issuer,
            out,
            self.key_type.unwrap_or_default().into(),
            "identity",
            ask,
        )
        .await
    }

    async fn with_password(
        &self,
        issuer: &Issuer,
        claims: EnrollmentClaims,
    ) -> Result<String, CliError> {
        let client = issuer.client()?;
        let password = self.password.obtain("New password", true)?;
        let token = SecretString::from(claims.jti);
        let result = client
            .enroll_with_password(token, self.username.clone(), password)
            .await?;
        Ok(result.username.unwrap_or_default())
    }
}
