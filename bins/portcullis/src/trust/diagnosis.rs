//! What is wrong with the certificate of a server.

use super::age;
use crate::text::enumerate;
use jiff::Timestamp;
use portcullis_pki::Certificate;
use std::net::IpAddr;
use url::{Host, Url};

/// Names of a certificate that a message lists.
const MAX_NAMES: usize = 8;

/// Why clients refuse the certificate of a server, and what can be done about it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Diagnosis {
    /// Ends of sentences that begin with the server.
    pub(super) problems: Vec<String>,
    pub(super) hints: Vec<String>,
}

impl Diagnosis {
    /// Judges the chain that the server at `url` presents, leaf first, apart from its issuer.
    pub(super) fn of_chain(chain: &[Certificate], url: &Url, now: Timestamp) -> Self {
        let mut diagnosis = Self::default();
        let Some((leaf, issuers)) = chain.split_first() else {
            diagnosis.add("its certificate cannot be read", None);
            return diagnosis;
        };
        diagnosis.judge_host(leaf, url);
        diagnosis.judge_dates("its certificate", leaf, now);
        for issuer in issuers {
            let name = format!("the CA certificate `{}`", issuer.subject());
            diagnosis.judge_dates(&name, issuer, now);
        }
        if leaf.is_ca() {
            diagnosis.add(
                "its certificate is that of a CA, which is none for servers",
                Some("give the controller a server certificate that this CA has issued"),
            );
        }
        diagnosis
    }

    /// Adds that no trusted CA has issued the certificate.
    pub(super) fn add_unknown_issuer(&mut self, problem: &str, hints: Vec<String>) {
        self.add(problem, None);
        self.hints.extend(hints);
    }

    fn add(&mut self, problem: impl Into<String>, hint: Option<&str>) {
        self.problems.push(problem.into());
        self.hints.extend(hint.map(str::to_owned));
    }

    fn judge_dates(&mut self, name: &str, certificate: &Certificate, now: Timestamp) {
        let (begin, end) = (certificate.not_before(), certificate.not_after());
        let problem = if certificate.is_valid_at(now) {
            return;
        } else if now < begin {
            let (wait, date) = (age::in_words(now.duration_until(begin)), age::date(begin));
            format!("{name} is not valid yet: it will be in {wait} ({date})")
        } else {
            let (ago, date) = (age::in_words(end.duration_until(now)), age::date(end));
            format!("{name} expired {ago} ago ({date})")
        };
        self.add(
            problem,
            Some(
                "renew it on the controller; if the dates are right, set the clock of this machine",
            ),
        );
    }

    fn judge_host(&mut self, leaf: &Certificate, url: &Url) {
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => return,
        };
        if leaf.covers_host(&host) {
            return;
        }
        let names = names(leaf);
        self.problems.push(if names.is_empty() {
            format!("its certificate is for no host at all, and so not for `{host}`")
        } else {
            format!("its certificate is for {}, not for `{host}`", list(&names))
        });
        if let Some(address) = names.iter().find_map(|name| address(name, url)) {
            self.hints.push(format!("connect to {address}"));
        }
        self.hints.push(format!(
            "to let the controller serve `{host}`, start `quickstart` with `--ctrl-address {host}`, \
             or add the name to the certificate of `identity.server_cert` and to \
             `edge.api.address`"
        ));
    }
}

/// The hosts of a certificate.
fn names(leaf: &Certificate) -> Vec<String> {
    let addresses = leaf.ip_names().map(|address| address.to_string());
    leaf.dns_names()
        .map(str::to_owned)
        .chain(addresses)
        .collect()
}

/// The address of the controller under another name.
fn address(name: &str, url: &Url) -> Option<String> {
    if name.contains('*') {
        return None;
    }
    let name = match name.parse() {
        Ok(IpAddr::V6(address)) => format!("[{address}]"),
        _ => name.to_owned(),
    };
    let port = url.port_or_known_default()?;
    Some(format!("https://{name}:{port}"))
}

/// `a`, `b` and `c`.
fn list(names: &[String]) -> String {
    let mut quoted: Vec<_> = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > MAX_NAMES {
        quoted.push(format!("{} more", names.len() - MAX_NAMES));
    }
    enumerate(&quoted, "and")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};

    fn certificate(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Certificate {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(2025, 1, 1);
        params.not_after = date_time_ymd(2027, 1, 1);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Certificate::from_der(certificate.der().to_vec()).unwrap()
    }

    fn judged(leaf: Certificate, url: &str) -> Diagnosis {
        let now = "2026-11-01T00:00:00Z".parse().unwrap();
        Diagnosis::of_chain(&[leaf], &url.parse().unwrap(), now)
    }

    #[test]
    fn names_of_the_certificate_are_told() {
        let leaf = || certificate(&["localhost", "127.0.0.1", "::1"], |_| ());
        assert_eq!(judged(leaf(), "https://[::1]:1280"), Diagnosis::default());
        let found = judged(leaf(), "https://vm:25001");
        assert_eq!(
            found.problems,
            ["its certificate is for `localhost`, `127.0.0.1` and `::1`, not for `vm`"]
        );
        assert_eq!(found.hints[0], "connect to https://localhost:25001");
        assert!(found.hints[1].contains("--ctrl-address vm"));

        let wildcard = judged(certificate(&["*.example.test"], |_| ()), "https://vm:1");
        assert_eq!(wildcard.hints.len(), 1, "nobody can connect to a wildcard");
        let nameless = judged(certificate(&[], |_| ()), "https://vm:1");
        assert!(nameless.problems[0].contains("no host at all"));
        let many: Vec<_> = (0..20).map(|number| format!("h{number}")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        let many = judged(certificate(&many, |_| ()), "https://vm:1");
        assert!(many.problems[0].contains("`h7` and 12 more"), "{many:?}");
    }

    #[test]
    fn dates_are_told_for_people() {
        let expired = certificate(&["c"], |params| {
            params.not_after = date_time_ymd(2025, 6, 1);
        });
        assert_eq!(
            judged(expired, "https://c:1").problems,
            ["its certificate expired 17 months ago (2025-06-01)"]
        );
        let early = certificate(&["c"], |params| {
            params.not_before = date_time_ymd(2026, 12, 1);
        });
        assert_eq!(
            judged(early, "https://c:1").problems,
            ["its certificate is not valid yet: it will be in 30 days (2026-12-01)"]
        );
    }

    #[test]
    fn ca_is_no_server() {
        let ca = certificate(&["c"], |params| {
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        });
        let found = judged(ca, "https://c:1");
        assert!(found.problems[0].contains("that of a CA"), "{found:?}");
    }

    #[test]
    fn every_problem_is_told() {
        let leaf = certificate(&["c"], |params| {
            params.not_after = date_time_ymd(2025, 6, 1);
        });
        let mut found = judged(leaf, "https://d:1");
        found.add_unknown_issuer("no issuer", vec!["a hint".to_owned()]);
        assert_eq!(found.problems.len(), 3);
        assert_eq!(found.hints.last().unwrap(), "a hint");
    }
}
