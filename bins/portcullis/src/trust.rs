//! Trust on first use of controllers.

mod age;
mod ca_fingerprint;
mod diagnosis;
mod explain;

pub(crate) use ca_fingerprint::CaFingerprint;
pub(crate) use explain::{TrustSource, explain_untrusted};

use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::output;
use crate::terminal::{self, escape_control_characters};
use crate::{profile, prompt};
use portcullis_client::first_contact::{self, FirstContactError, Probe};
use portcullis_client::{BuildError, Client, ClientError, Trust};
use portcullis_pki::{Certificate, Sha256Fingerprint, certificates_to_pem, pkcs7};
use url::Url;

/// A trusted controller.
pub(crate) struct TrustedController {
    /// Client without a session.
    pub(crate) client: Client,
    /// Trusted CA certificates, PEM; `None` for those of the operating system.
    pub(crate) ca: Option<String>,
}

/// How the user confirms the CA of a controller that is not trusted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confirmation {
    /// By answering a question.
    Ask,
    /// In advance, whatever it is.
    Accepted,
    /// By its fingerprint, which no other CA stands in for.
    Fingerprint(CaFingerprint),
}

/// Trusts the CA certificates in `pem`, if they verify the controller at `url`.
pub(crate) async fn trust_given_ca(
    context: &Context,
    url: &Url,
    pem: String,
    source: TrustSource,
) -> Result<TrustedController, CliError> {
    let client = context
        .client(url, profile::trust_from_pem(&pem)?)
        .build()?;
    match client.version().await {
        Ok(_) => Ok(TrustedController {
            client,
            ca: Some(pem),
        }),
        Err(error) => {
            let error = explain::foreign_server(url, error);
            Err(explain_untrusted(context, url, error, source).await)
        },
    }
}

/// Trusts the controller at `url` if the operating system does, or else if the user confirms the
/// fingerprint of its CA.
pub(crate) async fn trust_unknown_controller(
    context: &Context,
    url: &Url,
    confirmation: Confirmation,
) -> Result<TrustedController, CliError> {
    if !matches!(confirmation, Confirmation::Fingerprint(_))
        && let Contact::Trusted(client) = connect(context, url, profile::system_trust()).await?
    {
        return Ok(TrustedController { client, ca: None });
    }
    let probe = probe(context, url).await?;
    let mut offered = pkcs7::decode_base64(&probe.ca_bundle)
        .map_err(|_error| explain::no_controller(url, "its CA certificates cannot be read"))?;
    offered.retain(Certificate::is_ca);
    let candidates = match confirmation {
        Confirmation::Fingerprint(expected) => vec![confirmed(url, expected, offered)?],
        Confirmation::Ask | Confirmation::Accepted => vec![roots(&offered), offered],
    };
    let (client, authorities) = choose_anchors(context, url, &probe, candidates).await?;
    if !matches!(confirmation, Confirmation::Fingerprint(_)) {
        output::note(&describe_ca(url, &authorities, terminal::stderr_width()));
    }
    match confirmation {
        Confirmation::Ask => confirm_fingerprint()?,
        Confirmation::Accepted => {
            output::note("It is trusted because of `--yes`: nobody has compared the fingerprint.");
        },
        Confirmation::Fingerprint(_) => {},
    }
    Ok(TrustedController {
        client,
        ca: Some(certificates_to_pem(&authorities)),
    })
}

/// Asks whether the fingerprint is the right one.
fn confirm_fingerprint() -> Result<(), CliError> {
    if !prompt::is_interactive() {
        return Err(CliError::usage(
            "the controller is not trusted yet, and there is no terminal to ask on",
        )
        .hint(
            "pass `--fingerprint SHA256`, which `portcullis-controller fingerprint` shows on \
                     its machine, or `--ca FILE`",
        )
        .hint("`--yes` trusts whoever answers, without a comparison"));
    }
    if prompt::confirm("Do you recognize this fingerprint?", "--yes")? {
        return Ok(());
    }
    Err(CliError::failed("the controller is not trusted").hint(
        "ask its administrator for the fingerprint, to pass with `--fingerprint`, or for the CA \
         file, to pass with `--ca`",
    ))
}

/// The roots of a network, or all of its CAs if there is no root among them.
pub(crate) fn roots_or_all(offered: &[Certificate]) -> Vec<Certificate> {
    let roots = roots(offered);
    if roots.is_empty() {
        offered.to_vec()
    } else {
        roots
    }
}

fn roots(offered: &[Certificate]) -> Vec<Certificate> {
    let roots = offered.iter().filter(|one| one.is_self_issued());
    roots.cloned().collect()
}

async fn probe(context: &Context, url: &Url) -> Result<Probe, CliError> {
    let probe = first_contact::probe(url, context.timeout).await;
    probe.map_err(|error| match error {
        FirstContactError::Client(error) => explain::foreign_server(url, error),
        FirstContactError::Address(error) => error.into(),
    })
}

/// The offered CA with the expected fingerprint.
fn confirmed(
    url: &Url,
    expected: CaFingerprint,
    offered: Vec<Certificate>,
) -> Result<Vec<Certificate>, CliError> {
    let mut lines = vec![
        format!(
            "the controller at {} has no CA with this fingerprint",
            controller_url::display(url)
        ),
        format!("expected  {expected}"),
    ];
    lines.extend(
        offered
            .iter()
            .map(|one| format!("offered   {}", one.sha256())),
    );
    let (matching, _others): (Vec<_>, Vec<_>) =
        offered.into_iter().partition(|one| expected.is_of(one));
    if matching.is_empty() {
        return Err(CliError::unreachable(lines.join("\n"))
            .hint(
                "the connection may be intercepted: do not log in before you know why they differ",
            )
            .hint("check that the fingerprint is that of this controller"));
    }
    Ok(matching)
}

/// Chooses the first candidates that verify the controller: the roots suffice, unless its server
/// omits intermediates.
async fn choose_anchors(
    context: &Context,
    url: &Url,
    probe: &Probe,
    candidates: Vec<Vec<Certificate>>,
) -> Result<(Client, Vec<Certificate>), CliError> {
    let mut is_issuer_known = false;
    for authorities in candidates {
        let anchors = authorities.iter().map(|one| one.as_rustls().clone());
        match connect(context, url, Trust::anchors(anchors)).await? {
            Contact::Trusted(client) => return Ok((client, authorities)),
            Contact::Untrusted {
                is_unknown_issuer, ..
            } => is_issuer_known |= !is_unknown_issuer,
        }
    }
    let chain = &probe.chain;
    let source = TrustSource::Offered;
    Err(explain::untrusted(
        url,
        chain,
        context.now(),
        (!is_issuer_known).then_some(source),
    ))
}

/// Outcome of a connection.
enum Contact {
    Trusted(Client),
    Untrusted {
        /// Whether it was only looked at who has issued the certificate.
        is_unknown_issuer: bool,
    },
}

/// Connects with `trust`.
async fn connect(context: &Context, url: &Url, trust: Trust) -> Result<Contact, CliError> {
    let client = match context.client(url, trust).build() {
        Ok(client) => client,
        Err(BuildError::NoTrustAnchors) => {
            return Ok(Contact::Untrusted {
                is_unknown_issuer: true,
            });
        },
        Err(error) => return Err(error.into()),
    };
    match client.version().await {
        Ok(_) => Ok(Contact::Trusted(client)),
        Err(ClientError::Untrusted { source, .. }) => Ok(Contact::Untrusted {
            is_unknown_issuer: source.is_unknown_issuer(),
        }),
        Err(error) => Err(explain::foreign_server(url, error)),
    }
}

/// Describes the CA of an untrusted controller.
fn describe_ca(url: &Url, authorities: &[Certificate], room: Option<usize>) -> String {
    let mut lines = vec![format!(
        "The controller at {} is not trusted yet. Its CA is:",
        controller_url::display(url)
    )];
    for authority in authorities {
        lines.push(String::new());
        lines.push(format!(
            "  authority  {}",
            escape_control_characters(&authority.subject())
        ));
        lines.push(format!(
            "  valid      {} to {}",
            authority.not_before(),
            authority.not_after()
        ));
        lines.extend(fingerprint_lines(authority.sha256(), room));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A fingerprint in one line, or else in two.
fn fingerprint_lines(fingerprint: Sha256Fingerprint, room: Option<usize>) -> Vec<String> {
    const LABEL: &str = "  SHA-256    ";
    let text = fingerprint.to_string();
    if room.is_none_or(|room| LABEL.len() + text.len() <= room) {
        return vec![format!("{LABEL}{text}")];
    }
    let [first, second] = fingerprint.halves();
    let indent = " ".repeat(LABEL.len());
    vec![format!("{LABEL}{first}"), format!("{indent}{second}")]
}
