//! Answers to the questions of `config generate`, from options or from the terminal.

use crate::cli::ConfigGenerateArgs;
use crate::home::{HomeSettings, NetworkPlan, pki_directory};
use anyhow::{Context as _, bail, ensure};
use portcullis_controller_config::HomeLayout;
use portcullis_pki::{ServerNames, TrustDomain};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

pub(super) const DEFAULT_PORT: u16 = 1280;
pub(super) const DEFAULT_CTRL_PORT: u16 = 6262;

/// What `config generate` has to know.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    /// Host that is advertised, without brackets.
    pub(super) address: String,
    pub(super) sans: Vec<String>,
    pub(super) port: u16,
    pub(super) ctrl_port: u16,
    pub(super) interface: IpAddr,
    pub(super) trust_domain: Option<TrustDomain>,
    /// Absolute path.
    pub(super) directory: PathBuf,
    /// Absolute value of `db`.
    pub(super) db: PathBuf,
}

impl Answers {
    pub(super) fn network_plan(
        &self,
        arguments: &ConfigGenerateArgs,
    ) -> anyhow::Result<NetworkPlan> {
        let pki = match &arguments.pki {
            Some(directory) => absolute(directory)?,
            None => pki_directory(&self.directory),
        };
        Ok(NetworkPlan {
            settings: HomeSettings {
                advertised_host: self.address.clone(),
                interface: self.interface,
                port: self.port,
                key_type: arguments.key_type.unwrap_or_default().into(),
            },
            sans: self.sans.clone(),
            ctrl_port: self.ctrl_port,
            trust_domain: self.trust_domain.clone(),
            directory: self.directory.clone(),
            pki,
            db: self.db.clone(),
        })
    }
}

/// Validates a host name or an IP address, with or without brackets.
pub(super) fn parse_host(text: &str) -> anyhow::Result<String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let host = inner.unwrap_or(text);
    let is_unspecified = host
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_unspecified());
    let is_host = ServerNames::parse([host]).is_ok() && !host.contains('$') && !host.is_empty();
    if !is_host || is_unspecified || host.contains('*') {
        bail!(
            "`{text}` is not a host name or an IP address that others can reach: write it without \
             scheme and port, such as `ctrl.example.com`"
        );
    }
    Ok(host.to_owned())
}

/// Validates further names and addresses of a certificate.
pub(super) fn parse_sans(text: &str) -> anyhow::Result<Vec<String>> {
    let parts = text.split(',').map(str::trim);
    let parse = |part: &str| {
        let is_name = ServerNames::parse([part]).is_ok();
        ensure!(is_name, "`{part}` is not a host name or an IP address");
        Ok(part.to_owned())
    };
    parts.filter(|part| !part.is_empty()).map(parse).collect()
}

pub(super) fn parse_port(text: &str) -> anyhow::Result<u16> {
    let port = text.trim().parse().ok().filter(|port| *port > 0);
    port.with_context(|| format!("`{text}` is not a port: write a number from 1 to 65535"))
}

pub(super) fn parse_trust_domain(text: &str) -> anyhow::Result<Option<TrustDomain>> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let domain = TrustDomain::parse(text.strip_prefix("spiffe://").unwrap_or(text)).ok();
    domain.map(Some).with_context(|| {
        format!("`{text}` is not a trust domain: write small letters, digits, `.`, `-` and `_`")
    })
}

pub(super) fn absolute(path: &Path) -> anyhow::Result<PathBuf> {
    let is_named = !path.as_os_str().is_empty();
    ensure!(is_named, "the path of a directory must not be empty");
    let text = path.to_str().with_context(|| {
        format!(
            "{} is not valid UTF-8, which a configuration file has to be",
            path.display()
        )
    })?;
    ensure!(
        !text.contains(['$', '\n', '\r']),
        "`{text}` has a `$` or a line break, which a configuration file cannot express"
    );
    let path = std::path::absolute(path).context("the working directory cannot be found")?;
    // Without a separator at the end, and without `.` and `..`, as far as they lead to something.
    Ok(path
        .canonicalize()
        .unwrap_or_else(|_| path.components().collect()))
}

/// Value of `db` in a directory, unless another one is given.
pub(super) fn db(directory: &Path, given: Option<&Path>) -> anyhow::Result<PathBuf> {
    match given {
        Some(path) => absolute(path),
        None => Ok(HomeLayout::under(directory).db),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_and_addresses_that_others_can_reach() {
        for (text, host) in [
            ("ctrl.example.com", "ctrl.example.com"),
            (" 192.0.2.1 ", "192.0.2.1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
        ] {
            assert_eq!(parse_host(text).unwrap(), host);
        }
        for wrong in [
            "",
            "https://a",
            "a:1280",
            "a b",
            "$HOST",
            "0.0.0.0",
            "::",
            "*.example.com",
            "a\u{202e}b",
            "a\u{1b}b",
        ] {
            assert!(parse_host(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn further_names_are_separated_by_commas() {
        assert_eq!(parse_sans("").unwrap(), [""; 0]);
        assert_eq!(
            parse_sans("a.example.com, 192.0.2.1,,::1").unwrap(),
            ["a.example.com", "192.0.2.1", "::1"]
        );
        assert!(parse_sans("a b").is_err() && parse_sans("*.example.com").is_err());
    }
}
