//! Trust on first use of controllers.

use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::output;
use crate::terminal::escape_control_characters;
use crate::{profile, prompt};
use portcullis_client::{Client, ClientError, Trust, first_contact};
use portcullis_pki::{Certificate, certificates_to_pem, pkcs7};
use url::Url;

/// A trusted controller.
pub(crate) struct TrustedController {
    /// Client without a session.
    pub(crate) client: Client,
    /// Trusted CA certificates, PEM; `None` for those of the operating system.
    pub(crate) ca: Option<String>,
}

/// Trusts the CA certificates in `pem`, if they verify the controller at `url`.
pub(crate) async fn trust_given_ca(
    context: &Context,
    url: &Url,
    pem: String,
) -> Result<TrustedController, CliError> {
    let client = context
        .client(url, profile::trust_from_pem(&pem)?)
        .build()?;
    client.version().await?;
    Ok(TrustedController {
        client,
        ca: Some(pem),
    })
}

/// Trusts the controller at `url` if the operating system does, or else if the user confirms the
/// fingerprint of its CA. `is_accepted` confirms it without a prompt.
pub(crate) async fn trust_unknown_controller(
    context: &Context,
    url: &Url,
    is_accepted: bool,
) -> Result<TrustedController, CliError> {
    if let Some(client) = connect_if_trusted(context, url, profile::system_trust()).await? {
        return Ok(TrustedController { client, ca: None });
    }
    let probe = first_contact::probe(url, context.timeout).await?;
    let offered = pkcs7::decode_base64(&probe.ca_bundle).map_err(|error| {
        CliError::failed("cannot read the CA certificates of the controller").with_source(error)
    })?;
    let (client, authorities) = choose_anchors(context, url, offered).await?;
    output::note(&describe_ca(url, &authorities));
    if !is_accepted && !prompt::confirm("Do you recognize this fingerprint?", "--yes")? {
        return Err(CliError::failed("the controller is not trusted").hint(
            "ask its administrator for the fingerprint, or for the CA file to pass with `--ca`",
        ));
    }
    Ok(TrustedController {
        client,
        ca: Some(certificates_to_pem(&authorities)),
    })
}

/// Chooses the offered CA certificates that are needed to verify the controller: the roots, or all
/// of them if its server omits intermediates.
async fn choose_anchors(
    context: &Context,
    url: &Url,
    mut offered: Vec<Certificate>,
) -> Result<(Client, Vec<Certificate>), CliError> {
    offered.retain(Certificate::is_ca);
    let roots: Vec<_> = offered
        .iter()
        .filter(|one| one.is_self_issued())
        .cloned()
        .collect();
    for authorities in [roots, offered] {
        let anchors = authorities.iter().map(|one| one.as_rustls().clone());
        if let Some(client) = connect_if_trusted(context, url, Trust::anchors(anchors)).await? {
            return Ok((client, authorities));
        }
    }
    let url = controller_url::display(url);
    Err(CliError::failed(format!(
        "the certificate of {url} was not issued by the CAs that it offers, or is not valid for this \
         host"
    )))
}

/// Connects with `trust`; `None` if the controller fails verification.
async fn connect_if_trusted(
    context: &Context,
    url: &Url,
    trust: Trust,
) -> Result<Option<Client>, CliError> {
    use portcullis_client::BuildError;
    let client = match context.client(url, trust).build() {
        Ok(client) => client,
        Err(BuildError::NoTrustAnchors) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match client.version().await {
        Ok(_) => Ok(Some(client)),
        Err(ClientError::Untrusted { .. }) => Ok(None),
        Err(error) => {
            let is_unreachable = error.is_disconnected();
            let hint = controller_url::port_hint(url).filter(|_| is_unreachable);
            let error = CliError::from(error);
            Err(match hint {
                Some(hint) => error.hint(hint),
                None => error,
            })
        },
    }
}

/// Describes the CA of an untrusted controller.
fn describe_ca(url: &Url, authorities: &[Certificate]) -> String {
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
        lines.push(format!("  SHA-256    {}", authority.sha256()));
    }
    lines.push(String::new());
    lines.join("\n")
}
