//! What is said of servers that are no controllers, or not trusted.

use super::diagnosis::Diagnosis;
use crate::context::Context;
use crate::controller_url;
use crate::error::{CliError, refusal};
use jiff::Timestamp;
use portcullis_client::{ClientError, first_contact};
use portcullis_domain::io_error;
use portcullis_pki::Certificate;
use rustls_pki_types::CertificateDer;
use url::Url;

/// Where the CAs come from that should have issued the certificate of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TrustSource {
    /// The controller itself, on first contact.
    Offered,
    /// The file of `--ca`.
    CaFile,
    /// The file of `--identity`.
    IdentityFile,
    /// The profile, from an earlier login.
    Profile,
    /// The operating system.
    System,
}

impl TrustSource {
    /// The problem with a certificate that none of the CAs has issued.
    fn problem(self) -> &'static str {
        match self {
            Self::Offered => "its certificate was not issued by the CAs that it offers",
            Self::CaFile => "its certificate was not issued by a CA in the file of `--ca`",
            Self::IdentityFile => {
                "its certificate was not issued by the CA of the network that this identity belongs to"
            },
            Self::Profile => "its certificate was not issued by the CA that the profile trusts",
            Self::System => {
                "its certificate was not issued by a CA that the operating system trusts"
            },
        }
    }

    fn hints(self, url: &Url) -> Vec<String> {
        let url = controller_url::display(url);
        match self {
            Self::Offered => vec![
                "something in between may have replaced it; ask the administrator for the CA file, \
                 to pass with `--ca`"
                    .to_owned(),
            ],
            Self::CaFile => vec![
                "check that the file holds the CA of this controller; \
                 `portcullis-controller fingerprint` shows its fingerprint"
                    .to_owned(),
            ],
            Self::IdentityFile => vec![
                "the connection to the controller may be intercepted".to_owned(),
                "if the CA has been replaced, enroll again: ask an administrator for a new token"
                    .to_owned(),
            ],
            Self::Profile | Self::System => vec![
                "the connection to the controller may be intercepted".to_owned(),
                format!(
                    "if its CA has been replaced, run `portcullis login {url} --forget-ca` and \
                     compare the fingerprint"
                ),
            ],
        }
    }
}

/// Explains why the server at `url` is not trusted, if that is the error. Fetches its certificate
/// again to look at it.
pub(crate) async fn explain_untrusted(
    context: &Context,
    url: &Url,
    error: CliError,
    source: TrustSource,
) -> CliError {
    let Some(fault) = error.untrusted_certificate() else {
        return error;
    };
    let issuer = fault.is_unknown_issuer().then_some(source);
    match first_contact::peer_chain(url, context.timeout).await {
        Ok(chain) => untrusted(url, &chain, context.now(), issuer),
        Err(_gone) => source.hints(url).into_iter().fold(error, CliError::hint),
    }
}

/// The error for a server with `chain`. `issuer` tells who should have issued it and has not.
pub(super) fn untrusted(
    url: &Url,
    chain: &[CertificateDer<'_>],
    now: Timestamp,
    issuer: Option<TrustSource>,
) -> CliError {
    let chain: Vec<_> = chain
        .iter()
        .filter_map(|one| Certificate::from_der(one.to_vec()).ok())
        .collect();
    let mut diagnosis = Diagnosis::of_chain(&chain, url, now);
    if let Some(source) = issuer {
        diagnosis.add_unknown_issuer(source.problem(), source.hints(url));
    } else if diagnosis.problems.is_empty() {
        diagnosis.add_unknown_issuer("its certificate is not valid", Vec::new());
    }
    let message = format!(
        "the controller at {} is not trusted: {}",
        controller_url::display(url),
        diagnosis.problems.join("; ")
    );
    let error = CliError::unreachable(message);
    diagnosis.hints.into_iter().fold(error, CliError::hint)
}

/// Converts an error of the first request to a server, which may be anything.
pub(super) fn foreign_server(url: &Url, error: ClientError) -> CliError {
    match &error {
        ClientError::UnexpectedResponse { .. } => {
            no_controller(url, "it answers with something else")
        },
        ClientError::Refused(refusal) if refusal::is_foreign(refusal) => {
            no_controller(url, &format!("it answers with status {}", refusal.status))
        },
        // What listens closes connections that are not for it.
        ClientError::Interrupted { address, source } => {
            let reason = io_error::describe_io_error(source);
            CliError::unreachable(format!(
                "{address} did not answer like a controller: {reason}"
            ))
            .hint("check host and port of the address")
        },
        _ if error.is_disconnected() => {
            let error = CliError::from(error);
            match controller_url::port_hint(url) {
                Some(hint) => error.hint(hint),
                None => error,
            }
        },
        _ => error.into(),
    }
}

/// The error for a server that is something else.
pub(super) fn no_controller(url: &Url, reason: &str) -> CliError {
    let error = CliError::unreachable(format!(
        "{} is no Portcullis or OpenZiti controller: {reason}",
        controller_url::display(url)
    ));
    let hint = controller_url::port_hint(url);
    error.hint(hint.unwrap_or_else(|| "check host and port of the address".to_owned()))
}
