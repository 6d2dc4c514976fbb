//! Coming to trust a controller that is not known yet.

use crate::context::Context;
use crate::controller_url;
use crate::error::CliError;
use crate::output::{self, printable};
use crate::{profile, prompt};
use portcullis_client::{Client, ClientError, Trust, first_contact};
use portcullis_pki::{Certificate, certificates_to_pem, pkcs7};
use url::Url;

/// A controller that is trusted, and by whose word.
pub(crate) struct Trusted {
    /// Speaks with it, without a session.
    pub(crate) client: Client,
    /// The authorities, PEM; `None` for those of the operating system.
    pub(crate) ca: Option<String>,
}

/// Trusts the authorities of a PEM text, if the controller at `url` proves to belong to them.
pub(crate) async fn given(context: &Context, url: &Url, pem: String) -> Result<Trusted, CliError> {
    let client = context.client(url, profile::trust_in(&pem)?).build()?;
    client.version().await?;
    Ok(Trusted {
        client,
        ca: Some(pem),
    })
}

/// Trusts the controller at `url` if the operating system does, else if the person says so who
/// is shown the fingerprint of its authority. `is_accepted` says it beforehand.
pub(crate) async fn unknown(
    context: &Context,
    url: &Url,
    is_accepted: bool,
) -> Result<Trusted, CliError> {
    if let Some(client) = if_proven(context, url, profile::system_trust()).await? {
        return Ok(Trusted { client, ca: None });
    }
    let probe = first_contact::probe(url, context.timeout).await?;
    let offered = pkcs7::read_base64(&probe.ca_bundle).map_err(|error| {
        CliError::failed("the CA certificates of the controller cannot be read").because(error)
    })?;
    let (client, authorities) = choose(context, url, offered).await?;
    output::note(&introduction(url, &authorities));
    if !is_accepted && !prompt::confirm("Do you recognise this fingerprint?", "--yes")? {
        return Err(CliError::failed("the controller is not trusted")
            .hint("ask its administrator for the fingerprint, or for the file to give to `--ca`"));
    }
    Ok(Trusted {
        client,
        ca: Some(certificates_to_pem(&authorities)),
    })
}

/// Chooses from the authorities that a controller offers those that are needed to verify it: the
/// roots alone, or all of them if its server leaves intermediates out.
async fn choose(
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
        if let Some(client) = if_proven(context, url, Trust::anchors(anchors)).await? {
            return Ok((client, authorities));
        }
    }
    let url = controller_url::shown(url);
    Err(CliError::failed(format!(
        "the certificate of {url} was not issued by the CAs that it offers, or is not valid for this \
         host"
    )))
}

/// Gives a client if the controller proves itself to those who are trusted.
async fn if_proven(context: &Context, url: &Url, trust: Trust) -> Result<Option<Client>, CliError> {
    use portcullis_client::BuildError;
    let client = match context.client(url, trust).build() {
        Ok(client) => client,
        Err(BuildError::NothingTrusted) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match client.version().await {
        Ok(_) => Ok(Some(client)),
        Err(ClientError::Untrusted { .. }) => Ok(None),
        Err(error) => {
            let is_unreachable = matches!(error, ClientError::Unreachable { .. });
            let hint = controller_url::port_hint(url).filter(|_| is_unreachable);
            let error = CliError::from(error);
            Err(match hint {
                Some(hint) => error.hint(hint),
                None => error,
            })
        },
    }
}

/// Says who a controller claims to be.
fn introduction(url: &Url, authorities: &[Certificate]) -> String {
    let mut lines = vec![format!(
        "The controller at {} is not trusted yet. Its CA is:",
        controller_url::shown(url)
    )];
    for authority in authorities {
        lines.push(String::new());
        lines.push(format!("  authority  {}", printable(&authority.subject())));
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
