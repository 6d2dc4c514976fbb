//! `portcullis enroll`.

mod issuer;
mod output_file;
mod refusal;
mod remembered_trust;
mod summary;
mod with_certificate;
pub(crate) mod with_csr;

use crate::context::Context;
use crate::credential::{CertificateArgs, Credential};
use crate::error::{CliError, ErrorKind};
use crate::ext_jwt;
use crate::files;
use crate::password::PasswordArgs;
use crate::shell;
use clap::{Args, ValueEnum};
use issuer::Issuer;
use output_file::OutputFile;
use portcullis_command_line::KeyTypeArg;
use portcullis_domain::clock::Timestamp;
use portcullis_enrollment::UnverifiedToken;
use portcullis_pki::EnrollmentClaims;
use secrecy::SecretString;
use std::path::{Path, PathBuf};
use summary::EnrollmentSummary;

const EXAMPLES: &str = "\
The token is verified against the certificate of its controller. The other input depends on the
method of the token, which the administrator chose:

  ott      nothing; the key is generated and kept on this machine
  updb     a password of your choice
  ottca    --cert and --key, issued by a third-party CA
  ca       the same; an identity is created for each certificate of the CA
  network  --ext-jwt, a JWT of an external signer; an identity is created for each holder. The token
           comes from `portcullis ext-jwt-signer network-jwt`

The result is an identity file for OpenZiti clients, with mode 0600. It contains the private key,
even if you provided it with --key. With a password, or with --to token, no file is written.

A new profile keeps the CA that the token vouched for, so that `portcullis login` does not ask for
it. A profile that exists already is left as it is.

Examples:
  portcullis enroll laptop.jwt                   # writes laptop.json
  portcullis enroll laptop.jwt --key-type rsa2048 --out /etc/ziti/laptop.json
  portcullis enroll anna.jwt --password-file -   # for a username and password
  portcullis enroll server.jwt --cert server.pem --key server.key
  portcullis enroll network.jwt --ext-jwt anna.token --out anna.json";

/// Arguments of `enroll`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct EnrollArgs {
    /// File with the token; `-` for standard input
    #[arg(value_name = "TOKEN")]
    token: PathBuf,

    /// Identity file to write (default: the token file with the extension `.json`)
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite the identity file if it exists; follows symbolic links, and writes to pipes and
    /// devices
    #[arg(long)]
    force: bool,

    /// Type of the generated key (default: `p256`)
    #[arg(long, value_name = "TYPE", value_enum)]
    key_type: Option<KeyTypeArg>,

    #[command(flatten)]
    certificate: CertificateArgs,

    /// Requested identity name, for the method `ca`; the name format of the CA may override it
    #[arg(long, value_parser = crate::text::parse_non_blank)]
    name: Option<String>,

    /// File with a JWT of an external signer, for the method `network`; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with = "cert")]
    ext_jwt: Option<PathBuf>,

    /// Credential that the identity will log in with, for --ext-jwt
    #[arg(
        long,
        value_name = "CREDENTIAL",
        value_enum,
        requires = "ext_jwt",
        default_value_t
    )]
    to: LoginCredential,

    /// Requested username; ignored by controllers, since the administrator chose it
    #[arg(long, value_name = "USERNAME", value_parser = crate::text::parse_non_blank)]
    username: Option<String>,

    #[command(flatten)]
    password: PasswordArgs,
}

/// Supported enrollment methods.
const METHODS: [&str; 5] = ["ott", "updb", "ottca", "ca", "network"];

/// Methods of the tokens of edge and transit routers.
const ROUTER_METHODS: [&str; 2] = ["erott", "trott"];

/// Credential of an identity that is enrolled with a JWT.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum LoginCredential {
    /// A certificate of the network, in an identity file
    #[default]
    Certificate,
    /// JWTs of the same signer
    Token,
}

pub(crate) async fn run(context: &Context, arguments: EnrollArgs) -> Result<(), CliError> {
    arguments.check()?;
    let token = files::read_text(&arguments.token).map_err(|error| match error.kind() {
        ErrorKind::Usage => error,
        _ => error.hint(
            "the first argument is the file with the token, which administrators write with \
             `portcullis enrollment show ID --output-jwt FILE`",
        ),
    })?;
    let token = UnverifiedToken::parse(&token)?;
    let (claims, issuer) = Issuer::verify_token(context, &token).await?;
    let mut result = EnrollmentSummary {
        url: crate::controller_url::display(&issuer.url),
        ..EnrollmentSummary::default()
    };
    arguments.check_method(&claims.em)?;
    match claims.em.as_str() {
        "network" => {
            arguments
                .enroll_with_jwt(&issuer, context.now(), &mut result)
                .await?;
        },
        "ca" => {
            arguments
                .enroll_with_certificate(&issuer, None, context.now(), &mut result)
                .await?;
        },
        method => {
            result.identity_id = Some(claims.sub.clone());
            match method {
                "ottca" => {
                    let token = Some(claims.jti.into());
                    arguments
                        .enroll_with_certificate(&issuer, token, context.now(), &mut result)
                        .await?;
                },
                "updb" => {
                    result.username = Some(arguments.enroll_with_password(&issuer, claims).await?);
                },
                _ => {
                    arguments
                        .enroll_with_csr(&issuer, claims, &mut result)
                        .await?;
                },
            }
        },
    }
    if remembered_trust::remember(context, &issuer, result.username.as_deref()) {
        result.new_profile = Some(context.profile.clone());
    }
    context.output.write_result(&result, || result.table())
}

impl EnrollArgs {
    /// Rejects two inputs from standard input.
    fn check(&self) -> Result<(), CliError> {
        let stdin = Path::new("-");
        if self.token == stdin && self.ext_jwt.as_deref() == Some(stdin) {
            return Err(CliError::usage(
                "only one of the token and the JWT can be read from standard input",
            ));
        }
        self.out
            .as_deref()
            .map_or(Ok(()), |out| self.check_output_file(out))
    }

    /// Validates the arguments for the method of the token.
    fn check_method(&self, method: &str) -> Result<(), CliError> {
        if ROUTER_METHODS.contains(&method) {
            return Err(self.router_token_error());
        }
        if !METHODS.contains(&method) {
            let message = format!("tokens for the method `{method}` are not supported");
            let hint = "`portcullis enroll` supports `ott`, `updb`, `ottca`, `ca` and \
                        `network`";
            return Err(CliError::failed(message).hint(hint));
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
        if let Some((message, hint)) = missing {
            return Err(CliError::usage(message).hint(hint));
        }
        match self.unsupported_option(method) {
            None => Ok(()),
            Some(argument) => Err(CliError::usage(format!(
                "`{argument}` cannot be used with a token for `{method}`{}",
                if self.to == LoginCredential::Token {
                    " and `--to token`"
                } else {
                    ""
                }
            ))
            .hint(format!("remove `{argument}`"))),
        }
    }

    /// The error for a token that only a router can use.
    fn router_token_error(&self) -> CliError {
        let token = if self.token == Path::new("-") {
            Path::new("r1.jwt")
        } else {
            &self.token
        };
        let (token, file) = (token.display().to_string(), token.with_extension("yml"));
        CliError::failed("this token is for a router, which enrolls by itself")
            .hint(format!(
                "run `portcullis-router enroll {} --jwt {}` on its machine, or `ziti router enroll`",
                shell::quote(&file.display().to_string()),
                shell::quote(&token)
            ))
            .hint("`portcullis router-config generate edge` makes the configuration file")
    }

    /// The first given argument that `method` does not use.
    fn unsupported_option(&self, method: &str) -> Option<&'static str> {
        let makes_key = match method {
            "ott" => true,
            "network" => self.to == LoginCredential::Certificate,
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

    /// Rejects an output file that is also an input, which `--force` would destroy.
    fn check_output_file(&self, out: &Path) -> Result<(), CliError> {
        let CertificateArgs { cert, key } = &self.certificate;
        let sources = [
            ("the token", Some(self.token.as_path())),
            ("the certificate", cert.as_deref()),
            ("the key", key.as_deref()),
            ("the JWT", self.ext_jwt.as_deref()),
            ("the password", self.password.file()),
        ];
        for (what, path) in sources {
            if path.is_some_and(|path| files::is_same_file(path, out)) {
                let out = out.display();
                return Err(CliError::usage(format!(
                    "{out} contains {what} and is not overwritten"
                ))
                .hint("choose another file with `--out`"));
            }
        }
        Ok(())
    }

    fn out(&self, result: &mut EnrollmentSummary) -> Result<OutputFile, CliError> {
        let out = OutputFile::new(self.out.as_deref(), &self.token, self.force)?;
        self.check_output_file(&out.path)?;
        result.file = Some(out.path.display().to_string());
        Ok(out)
    }

    async fn enroll_with_csr(
        &self,
        issuer: &Issuer,
        claims: EnrollmentClaims,
        result: &mut EnrollmentSummary,
    ) -> Result<(), CliError> {
        let (out, client) = (self.out(result)?, issuer.client()?);
        let token = SecretString::from(claims.jti);
        let ask = async |csr: String| Ok(client.enroll_with_csr(token, &csr).await?);
        with_csr::run(
            issuer,
            out,
            self.key_type.unwrap_or_default().into(),
            &claims.sub,
            ask,
        )
        .await
    }

    async fn enroll_with_certificate(
        &self,
        issuer: &Issuer,
        token: Option<SecretString>,
        now: Timestamp,
        result: &mut EnrollmentSummary,
    ) -> Result<(), CliError> {
        let missing = || CliError::usage("the certificate is missing");
        let credential: Credential = self.certificate.read()?.ok_or_else(missing)?;
        let (out, name) = (self.out(result)?, self.name.clone());
        let has_token = token.is_some();
        with_certificate::run(issuer, out, &credential, async |client| {
            let answer = match token {
                Some(token) => client.enroll_with_certificate(token).await,
                None => client.enroll_with_ca_certificate(name).await,
            };
            answer.map_err(|error| {
                refusal::explain_certificate_refusal(error, &credential, has_token, now)
            })
        })
        .await
    }

    async fn enroll_with_jwt(
        &self,
        issuer: &Issuer,
        now: Timestamp,
        result: &mut EnrollmentSummary,
    ) -> Result<(), CliError> {
        let path = self.ext_jwt.clone().unwrap_or_default();
        let token = ext_jwt::read(&path)?;
        let end = ext_jwt::expires_at(&token);
        let refused = |error| refusal::explain_jwt_refusal(error, end, now);
        let client = issuer.client()?.with_bearer(token);
        if self.to == LoginCredential::Token {
            client.enroll_with_jwt(None).await.map_err(refused)?;
            result.ext_jwt = Some(path.display().to_string());
            return Ok(());
        }
        let out = self.out(result)?;
        let ask = async |csr: String| client.enroll_with_jwt(Some(csr)).await.map_err(refused);
        with_csr::run(
            issuer,
            out,
            self.key_type.unwrap_or_default().into(),
            "identity",
            ask,
        )
        .await
    }

    async fn enroll_with_password(
        &self,
        issuer: &Issuer,
        claims: EnrollmentClaims,
    ) -> Result<String, CliError> {
        let client = issuer.client()?;
        let password = self.password.read_or_prompt("New password", true)?;
        let token = SecretString::from(claims.jti);
        let result = client
            .enroll_with_password(token, self.username.clone(), password)
            .await?;
        Ok(result.username.unwrap_or_default())
    }
}
