//! `enroll`: get the certificates of a router with a token of its controller.

mod answer;
mod endpoints;
mod keys;
mod summary;
mod token;

use crate::cli::EnrollArgs;
use crate::config;
use answer::Certificates;
use anyhow::{Context as _, bail};
use keys::RouterKeys;
use portcullis_client::{Client, Trust};
use portcullis_enrollment::Issuer;
use portcullis_pki::EnrollmentClaims;
use portcullis_program::usage;
use portcullis_router_io::{CertificateRequest, IdentityFiles, NewIdentity, RouterFile};
use secrecy::SecretString;
use std::fs;
use std::time::Duration;

/// Longest time of a request, including the connection.
const TIMEOUT: Duration = Duration::from_secs(30);

pub(super) async fn run(arguments: EnrollArgs) -> anyhow::Result<()> {
    if let Some(engine) = &arguments.engine {
        return Err(usage::error(format!(
            "--engine {engine}: keys in hardware are not supported; leave the option out, and the key is kept \
             in a file"
        )));
    }
    // The token has the addresses of controllers that the file may lack.
    let file = config::load_file(&arguments.config, |_endpoints| true)?;
    let identity = IdentityFiles::from_config(&file.config.identity)?;
    let draft = identity.draft().context("the router cannot be enrolled")?;
    if identity.is_enrolled() && !arguments.force {
        bail!(
            "the router is enrolled already: there is {}; to enroll it again, pass --force with a new token",
            identity.describe(),
        );
    }
    let token = token::read(&arguments.jwt)?;
    let now = portcullis_system::env().now();
    let client = |url: &_, trust: Trust| Client::builder(url, trust).timeout(TIMEOUT);
    let (claims, issuer) = Issuer::verify_token(&token, now, TIMEOUT, client)
        .await
        .map_err(token::explain)?;
    check_kind(&claims.em, file.has_edge)?;
    endpoints::check(&file, &claims)?;
    warn_of_another_router(&identity, &claims);
    let request = CertificateRequest::from_config(&file.config);
    // Everything that can fail here comes before the token is spent.
    let keys = RouterKeys::load_or_generate(&identity, arguments.key_type)?;
    let csr = request.to_pem(&claims.sub, &keys.client)?;
    let server_csr = request.to_pem(&claims.sub, keys.server())?;
    let enrolling = client(&issuer.url, issuer.trust()).build()?;
    let answer = enrolling
        .enroll_router(
            &claims.em,
            SecretString::from(claims.jti.as_str()),
            csr,
            server_csr,
        )
        .await
        .context("the router is not enrolled")?;
    let certificates = Certificates::check(answer, &keys)?;
    draft
        .write(&NewIdentity {
            certificate: &certificates.client,
            server_certificate: &certificates.server,
            authorities: Some(&certificates.authorities),
        })
        .context("the token has been used, and the certificates are lost; ask for a new one")?;
    forget_network(&file)?;
    endpoints::write(&file, &claims)?;
    endpoints::warn_about_others(&file, &claims);
    summary::print(&arguments.config, &identity, &claims, &issuer);
    Ok(())
}

/// Refuses tokens of identities, and those of routers that this file cannot be for.
fn check_kind(method: &str, has_edge: bool) -> anyhow::Result<()> {
    match method {
        "erott" if !has_edge => tracing::warn!(
            "this token is for an edge router, and the file has no section `edge`; the router will let no \
             SDKs in"
        ),
        "trott" if has_edge => bail!(
            "this token is for a transit router, and the file has the section `edge`: SDKs would be let in \
             by no controller; take a token of `portcullis edge-router create`, or remove `edge` and the \
             listeners with `binding: edge`"
        ),
        "erott" | "trott" => {},
        _ => bail!(
            "this token is for an identity (`{method}`), and not for a router; `portcullis enroll` takes it"
        ),
    }
    Ok(())
}

/// Says so if the files that are going to be replaced are those of another router.
fn warn_of_another_router(identity: &IdentityFiles, claims: &EnrollmentClaims) {
    if let Ok(loaded) = identity.load()
        && loaded.router_id != claims.sub
    {
        tracing::warn!(
            "{} is that of another router, {}; it is replaced by that of router {}",
            identity.describe(),
            loaded.router_id.escape_debug(),
            claims.sub.escape_debug(),
        );
    }
}

/// Removes the copy of what the router knew of a network, which may have been another one.
fn forget_network(file: &RouterFile) -> anyhow::Result<()> {
    let copy = file.model_file();
    match fs::remove_file(&copy) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", copy.display()))
        },
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_other_kinds_are_refused_and_told_apart() {
        for (method, has_edge) in [("erott", true), ("trott", false), ("erott", false)] {
            check_kind(method, has_edge).unwrap();
        }
        let transit = check_kind("trott", true).unwrap_err().to_string();
        assert!(transit.contains("`edge`"), "{transit}");
        let identity = check_kind("ott", true).unwrap_err().to_string();
        assert!(identity.contains("`portcullis enroll`"), "{identity}");
    }
}
