//! Issuers: the addresses that the provider goes by.

use std::collections::BTreeSet;
use std::net::IpAddr;

/// Port that URLs leave out.
const HTTPS_PORT: u16 = 443;

/// Path of the provider below the root of its listener.
pub const PATH: &str = "/oidc";

/// The URL of the provider, by one of its addresses: `https://<host[:port]>/oidc`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Issuer(String);

impl Issuer {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The origin of its pages: scheme, host and port.
    pub fn origin(&self) -> &str {
        self.0.strip_suffix(PATH).unwrap_or_default()
    }

    /// The URL of an endpoint, whose `path` begins with a slash.
    pub fn endpoint(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

impl std::fmt::Display for Issuer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// All issuers of a controller. A request chooses one by its `Host`; a token counts if any of them issued it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Issuers(BTreeSet<Issuer>);

impl Issuers {
    /// Each of `hosts` at each of `ports`: names and addresses that the listeners are bound to and that their
    /// certificates are good for. Names with a wildcard are left out, because anybody could choose an issuer
    /// by them.
    pub fn new<'h>(hosts: impl IntoIterator<Item = &'h str>, ports: &[u16]) -> Self {
        let mut issuers = BTreeSet::new();
        for host in hosts.into_iter().filter_map(normalize_host) {
            for &port in ports {
                issuers.insert(of_authority(&format!("{host}:{port}")));
                if port == HTTPS_PORT {
                    issuers.insert(of_authority(&host));
                }
            }
        }
        Self(issuers)
    }

    /// The issuer of a request with this header `Host`, or the authority of HTTP/2.
    pub fn of_host(&self, host: &str) -> Option<&Issuer> {
        self.0.get(&of_authority(&host.to_ascii_lowercase()))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Issuer> {
        self.0.iter()
    }

    /// Whether `issuer`, the claim `iss` of a token, is one of them.
    pub fn contains(&self, issuer: &str) -> bool {
        self.0.iter().any(|known| known.0 == issuer)
    }
}

fn of_authority(authority: &str) -> Issuer {
    Issuer(format!("https://{authority}{PATH}"))
}

/// The host as it stands in URLs; `None` for wildcards and what is no host.
fn normalize_host(host: &str) -> Option<String> {
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    match bare.unwrap_or(host).parse::<IpAddr>() {
        Ok(address) if address.is_unspecified() => None,
        Ok(IpAddr::V4(address)) => Some(address.to_string()),
        Ok(IpAddr::V6(address)) => Some(format!("[{address}]")),
        Err(_) => {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            (!host.is_empty() && host.bytes().all(is_name)).then(|| host.to_ascii_lowercase())
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issuers() -> Issuers {
        let hosts = [
            "Ctrl.Example.test",
            "127.0.0.1",
            "::1",
            "[2001:db8::0]",
            "*.example.test",
            "0.0.0.0",
            "",
        ];
        Issuers::new(hosts, &[1280, 443])
    }

    #[test]
    fn host_chooses_the_issuer() {
        let issuers = issuers();
        for (host, issuer) in [
            (
                "ctrl.example.test:1280",
                "https://ctrl.example.test:1280/oidc",
            ),
            (
                "CTRL.example.test:1280",
                "https://ctrl.example.test:1280/oidc",
            ),
            ("ctrl.example.test", "https://ctrl.example.test/oidc"),
            (
                "ctrl.example.test:443",
                "https://ctrl.example.test:443/oidc",
            ),
            ("127.0.0.1:1280", "https://127.0.0.1:1280/oidc"),
            ("[::1]:1280", "https://[::1]:1280/oidc"),
            ("[2001:db8::]", "https://[2001:db8::]/oidc"),
        ] {
            let found = issuers.of_host(host).unwrap();
            assert_eq!(found.as_str(), issuer);
            assert!(issuers.contains(issuer));
        }
    }

    #[test]
    fn other_hosts_have_none() {
        let issuers = issuers();
        for host in [
            "",
            "evil.example.test",
            "ctrl.example.test.evil:1280",
            "ctrl.example.test:1281",
            "ctrl.example.test:01280",
            "ctrl.example.test:1280/oidc",
            "a.example.test:1280",
            "*.example.test:1280",
            "0.0.0.0:1280",
            "::1:1280",
            "ctrl.example.test@evil:1280",
        ] {
            assert_eq!(issuers.of_host(host), None, "{host}");
        }
        for issuer in [
            "https://ctrl.example.test:1280/oidc/",
            "https://ctrl.example.test:1280",
            "http://ctrl.example.test:1280/oidc",
            "",
        ] {
            assert!(!issuers.contains(issuer), "{issuer}");
        }
    }

    #[test]
    fn endpoints_lie_below_it() {
        let issuers = issuers();
        let issuer = issuers.of_host("127.0.0.1:1280").unwrap();
        assert_eq!(issuer.endpoint("/keys"), "https://127.0.0.1:1280/oidc/keys");
    }
}
