//! Where a login leads, in words.

use crate::redirect::RedirectUri;
use url::{Host, Url};

/// Where the browser goes after a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Destination {
    /// A program on the same computer that listens on loopback.
    ThisComputer(Url),
    Website(Url),
    /// Whatever program has claimed the scheme of the URI.
    Application {
        scheme: String,
    },
}

impl Destination {
    pub(super) fn of(uri: &RedirectUri) -> Self {
        match Url::parse(uri.as_str()) {
            Ok(url) if !matches!(url.scheme(), "http" | "https") => Self::Application {
                scheme: url.scheme().to_owned(),
            },
            Ok(url) if is_loopback(&url) => Self::ThisComputer(url),
            Ok(url) => Self::Website(url),
            // Only what can be parsed is registered; and a scheme that does not exist leads nowhere.
            Err(_) => Self::Application {
                scheme: String::new(),
            },
        }
    }

    /// The host, with its port if that is not the usual one.
    pub(super) fn host(&self) -> Option<String> {
        match self {
            Self::ThisComputer(url) | Self::Website(url) => {
                let host = url.host_str()?;
                let port = url.port().map(|port| format!(":{port}"));
                Some(format!("{host}{}", port.unwrap_or_default()))
            },
            Self::Application { .. } => None,
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
