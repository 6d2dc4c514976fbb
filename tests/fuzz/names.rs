//! Short texts that mean something: names, addresses, codes, and the URL for authenticator apps.

use crate::driver::{fuzz, place, text};
use portcullis_controller_config::TransportAddress;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_domain::roles::RoleAttributes;
use portcullis_pki::{SpiffeId, TrustDomain};
use portcullis_router::address;
use portcullis_totp::{Secret, SubmittedCode, provisioning_url};
use secrecy::ExposeSecret as _;
use url::Url;

fn inputs<const N: usize>(texts: [&str; N]) -> Vec<Vec<u8>> {
    texts.map(|text| text.as_bytes().to_vec()).into()
}

/// What is read and shown is read as the same again.
fn is_stable<T, E>(text: &str) -> Result<String, String>
where
    T: std::str::FromStr<Err = E> + ToString + PartialEq,
    E: std::fmt::Debug,
{
    let read: T = match text.parse() {
        Ok(read) => read,
        Err(error) => return Ok(place(&error)),
    };
    match read.to_string().parse::<T>() {
        Ok(again) if again == read => Ok("read".to_owned()),
        _ => Err("what is shown is read otherwise".to_owned()),
    }
}

#[test]
fn fuzzed_networks_are_shown_as_they_are_read() {
    let texts = inputs(["10.0.0.0/8", "::1", "2001:db8::/32", "::ffff:10.0.0.1/128"]);
    fuzz("networks", texts, |input| {
        is_stable::<IpNetwork, _>(&text(input))
    });
}

#[test]
fn fuzzed_addresses_are_shown_as_they_are_read() {
    let texts = inputs(["tls:0.0.0.0:6262", "tls:[::]:8444", "tls:ctrl.example:1280"]);
    fuzz("addresses", texts, |input| {
        is_stable::<TransportAddress, _>(&text(input))
    });
    let texts = inputs(["tcp:server.example:22", "tls:[::1]:443", "udp:192.0.2.1:53"]);
    fuzz("addresses of servers", texts, |input| {
        is_stable::<address::TransportAddress, _>(&text(input))
    });
    let texts = inputs(["udp6:[::1]:53", "unixgram:/run/server.sock"]);
    fuzz("addresses of datagrams", texts, |input| {
        is_stable::<address::PacketAddress, _>(&text(input))
    });
}

/// A name that is accepted is written as it came: two spellings of one name would be two names.
#[test]
fn fuzzed_spiffe_names_have_one_spelling() {
    let texts = inputs([
        "spiffe://a.example/controller/c1",
        "spiffe://a.example/identity/aB3.dE6gH",
        "spiffe://a.example/router/r1",
        "a.example",
    ]);
    fuzz("SPIFFE names", texts, |input| {
        let text = text(input);
        if let Ok(domain) = TrustDomain::parse(&text)
            && domain.as_str() != text
        {
            return Err("a trust domain has two spellings".to_owned());
        }
        match SpiffeId::parse(&text) {
            Ok(id) if id.to_string() == text => Ok("read".to_owned()),
            Ok(_) => Err("a name has two spellings".to_owned()),
            Err(error) => Ok(place(&error)),
        }
    });
}

#[test]
fn fuzzed_codes_are_digits_or_refused() {
    fuzz("codes", inputs(["123456", "000000", "ABCDEF"]), |input| {
        let text = text(input);
        match SubmittedCode::parse(&text) {
            Ok(SubmittedCode::Totp(code)) if code.as_str() == text => Ok("digits".to_owned()),
            Ok(SubmittedCode::Recovery(code)) if code.as_str() == text => Ok("letters".to_owned()),
            Ok(_) => Err("a code is taken for another one".to_owned()),
            Err(error) => Ok(place(&error)),
        }
    });
}

/// Role attributes are never selectors.
#[test]
fn fuzzed_roles_are_no_selectors() {
    fuzz(
        "roles",
        inputs(["one", "two words", "#all", "@id"]),
        |input| {
            let text = text(input);
            match RoleAttributes::new(vec![text.clone()]) {
                Ok(_) if text.is_empty() || text.starts_with(['#', '@']) => {
                    Err("a selector is taken for an attribute".to_owned())
                },
                Ok(_) => Ok("read".to_owned()),
                Err(error) => Ok(place(&error.reason)),
            }
        },
    );
}

/// Whatever the names, an authenticator app finds the secret and the issuer where they belong.
#[test]
fn fuzzed_names_leave_the_url_for_apps_whole() {
    let secret = Secret::from_bytes(b"12345678901234567890").unwrap();
    let base32 = secret.to_base32();
    fuzz(
        "URLs for apps",
        inputs(["laptop", "Zoë's laptop", "a&secret=b"]),
        |input| {
            let name = text(input);
            let url = provisioning_url(&name, &name, &secret);
            let url = Url::parse(url.expose_secret()).map_err(|error| error.to_string())?;
            let pairs: Vec<_> = url.query_pairs().collect();
            let names: Vec<_> = pairs.iter().map(|(name, _)| &**name).collect();
            if names != ["issuer", "secret"] {
                return Err(format!("it has other parameters: {names:?}"));
            }
            if pairs[0].1 != name || pairs[1].1 != base32.expose_secret() {
                return Err("issuer or secret is another one".to_owned());
            }
            Ok(format!("{}", url.path().len() % 8))
        },
    );
}
