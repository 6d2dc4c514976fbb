//! The address of a controller, as people type it.

use crate::error::CliError;
use url::{Host, ParseError, Url};

/// The port on which controllers usually listen.
const USUAL_PORT: u16 = 1280;

/// Reads the address of a controller: `https://host:port`, or `host:port` alone. A path is cut off.
pub(crate) fn parse(text: &str) -> Result<Url, CliError> {
    let wrong = || {
        CliError::usage(format!("`{text}` is not a controller address"))
            .hint("write it like https://localhost:1280")
    };
    let full = if text.contains("://") {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let url = Url::parse(&full).map_err(|error| wrong().because(fault(error)))?;
    if url.scheme() != "https" {
        return Err(wrong().because(anyhow::anyhow!("only https is supported")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(CliError::usage(
            "the controller address must not contain a username or password",
        )
        .hint("use `--username`; you will be asked for the password"));
    }
    origin(&url).ok_or_else(wrong)
}

/// What is wrong with an address.
fn fault(error: ParseError) -> anyhow::Error {
    anyhow::anyhow!(match error {
        ParseError::InvalidPort => "the port must be a number from 1 to 65535",
        ParseError::EmptyHost => "the host is missing",
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => {
            "the IP address is not valid; write an IPv6 address in brackets"
        },
        _ => "the host name is not valid",
    })
}

/// Cuts everything off behind host and port.
pub(crate) fn origin(url: &Url) -> Option<Url> {
    let host = url.host()?.to_owned();
    if matches!(&host, Host::Domain(domain) if domain.is_empty()) {
        return None;
    }
    let port = url.port_or_known_default()?;
    Url::parse(&format!("https://{host}:{port}")).ok()
}

/// Says where controllers usually are, when a port was left out.
pub(crate) fn port_hint(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let is_left_out = url.port().is_none();
    is_left_out.then(|| {
        format!(
            "the address has no port; controllers usually listen on https://{host}:{USUAL_PORT}"
        )
    })
}

/// Writes an address as people type it, without a slash at the end.
pub(crate) fn shown(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_typed() {
        for (text, read) in [
            ("https://localhost:1280", "https://localhost:1280"),
            ("localhost:1280", "https://localhost:1280"),
            ("https://ctrl.example.test", "https://ctrl.example.test"),
            ("https://[::1]:1280/edge/client/v1", "https://[::1]:1280"),
            ("https://127.0.0.1:1280/?a=b#c", "https://127.0.0.1:1280"),
        ] {
            assert_eq!(shown(&parse(text).unwrap()), read, "{text}");
        }
    }

    #[test]
    fn other_things_are_refused() {
        for text in [
            "",
            "http://localhost:1280",
            "ftp://x",
            "https://",
            "https://a b",
            "a:b:c",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let error = parse("https://admin:secret@localhost").unwrap_err();
        assert!(!format!("{error:?}").contains("secret"));
    }

    #[test]
    fn missing_port_is_worth_a_hint() {
        let hint = |text: &str| port_hint(&parse(text).unwrap());
        assert_eq!(
            hint("https://ctrl.example.test").unwrap(),
            "the address has no port; controllers usually listen on https://ctrl.example.test:1280"
        );
        assert_eq!(hint("https://ctrl.example.test:1280"), None);
    }
}
