//! The certificates that a configuration serves, and to whom.

use crate::config_key::ConfigKey;
use crate::pem::PemSetting;
use portcullis_controller_config::{ControllerConfig, IdentityConfig, PemSource, WebApi};
use portcullis_pki::Certificate;
use std::net::IpAddr;

/// A certificate chain that can be read.
#[derive(Debug)]
pub(super) struct ServedCertificate {
    pub(super) key: ConfigKey,
    leaf: Certificate,
    /// What is sent after the leaf.
    pub(super) intermediates: Vec<Certificate>,
    /// Whether clients are shown it at an advertised address, and not only if they ask for another
    /// name: browsers may be served a certificate of a public CA that way.
    pub(super) is_presented: bool,
}

impl ServedCertificate {
    pub(super) fn leaf(&self) -> &Certificate {
        &self.leaf
    }
}

/// An address that clients or routers are told, with the certificate that they are shown there.
pub(super) struct AdvertisedHost<'a> {
    pub(super) key: ConfigKey,
    pub(super) host: &'a str,
    pub(super) certificate: &'a ServedCertificate,
}

/// The certificates of the section `identity` and of each listener that has its own.
#[derive(Debug, Default)]
pub(super) struct ServedCertificates(Vec<ServedCertificate>);

impl ServedCertificates {
    pub(super) fn load(config: &ControllerConfig) -> Self {
        let mut served = Self(load_identity(&config.identity, None));
        for (number, listener) in config.web.iter().enumerate() {
            if let Some(identity) = &listener.identity {
                served.0.extend(load_identity(identity, Some(number)));
            }
        }
        let presented: Vec<_> = (served.advertised(config))
            .map(|advertised| advertised.certificate.key.clone())
            .collect();
        for certificate in &mut served.0 {
            certificate.is_presented |= presented.contains(&certificate.key);
        }
        served
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ServedCertificate> {
        self.0.iter()
    }

    /// All advertised addresses whose certificate can be read.
    pub(super) fn advertised<'a>(
        &'a self,
        config: &'a ControllerConfig,
    ) -> impl Iterator<Item = AdvertisedHost<'a>> {
        let points = config.web.iter().enumerate().flat_map(|(listener, entry)| {
            let points = entry.bind_points.iter().enumerate();
            points.flat_map(move |(point, it)| {
                let key = move |is_new| ConfigKey::BindPoint {
                    listener,
                    point,
                    is_new,
                };
                let usual = std::iter::once((key(false), &it.address));
                let new = it.new_address.iter().map(move |new| (key(true), new));
                usual.chain(new)
            })
        });
        let at_points = points.filter_map(|(key, address)| {
            let ConfigKey::BindPoint { listener, .. } = key else {
                return None;
            };
            let section = section_of(config, listener);
            // The address of the APIs is that of a bind point: enrollment tokens name it.
            let api = &config.edge.api.address;
            let is_api = address.port == api.port && address.host.eq_ignore_ascii_case(&api.host);
            let key = if is_api {
                ConfigKey::ClientAddress
            } else {
                key
            };
            let host = address.host.as_str();
            let certificate = self.presented_to(host, section)?;
            Some(AdvertisedHost {
                key,
                host,
                certificate,
            })
        });
        let logins = login_hosts(config).filter_map(|(key, host)| {
            let ConfigKey::LoginHost { listener, .. } = key else {
                return None;
            };
            Some(AdvertisedHost {
                certificate: self.presented_to(host, section_of(config, listener))?,
                key,
                host,
            })
        });
        let to_routers = (config.ctrl.advertise_address.iter()).filter_map(|address| {
            let host = address.endpoint.host.as_str();
            Some(AdvertisedHost {
                key: ConfigKey::RouterAddress,
                host,
                certificate: self.presented_to(host, None)?,
            })
        });
        at_points.chain(logins).chain(to_routers)
    }

    /// The certificate that clients of `host` are shown by the listener of a section `identity`: the
    /// first for the name that they ask for, or else the default. Clients of an address ask for no name.
    fn presented_to(&self, host: &str, section: Option<usize>) -> Option<&ServedCertificate> {
        let of_section = || {
            (self.0.iter()).filter(
                move |it| matches!(it.key, ConfigKey::Server { listener, .. } if listener == section),
            )
        };
        let is_named = host.parse::<IpAddr>().is_err();
        let named = of_section().find(|it| is_named && it.leaf.covers_host(host));
        named.or_else(|| of_section().next())
    }
}

/// The listener with this position if it has a section `identity` of its own, or else the controller.
fn section_of(config: &ControllerConfig, listener: usize) -> Option<usize> {
    let identity = config.web.get(listener)?.identity.as_ref();
    identity.map(|_| listener)
}

/// The hosts of logins that certificates with a wildcard have to be good for.
fn login_hosts(config: &ControllerConfig) -> impl Iterator<Item = (ConfigKey, &str)> {
    let listeners = config.web.iter().enumerate();
    let apis = listeners.flat_map(|(listener, entry)| {
        let apis = entry.apis.iter().enumerate();
        apis.map(move |(api, it)| (listener, api, it))
    });
    apis.flat_map(|(listener, api, it)| {
        let hosts = match it {
            WebApi::EdgeOidc(options) => options.allowed_hostnames.as_slice(),
            _ => &[],
        };
        hosts.iter().enumerate().map(move |(number, host)| {
            let key = ConfigKey::LoginHost {
                listener,
                api,
                number,
            };
            (key, host.as_str())
        })
    })
}

/// The client certificate of the controller, unless it is served as well.
pub(super) fn client_certificate(config: &ControllerConfig) -> Option<(ConfigKey, Certificate)> {
    let identity = &config.identity;
    let is_separate = identity.cert != identity.server_cert;
    let (leaf, _above) = is_separate.then(|| load_chain(&identity.cert))??;
    Some((ConfigKey::Client { listener: None }, leaf))
}

fn load_identity(identity: &IdentityConfig, listener: Option<usize>) -> Vec<ServedCertificate> {
    let further = identity.alt_server_certs.iter().map(|pair| &pair.cert);
    let all = std::iter::once(&identity.server_cert).chain(further);
    let load = |(number, source): (usize, &PemSource)| {
        let (leaf, intermediates) = load_chain(source)?;
        Some(ServedCertificate {
            key: ConfigKey::Server { listener, number },
            leaf,
            intermediates,
            is_presented: number == 0,
        })
    };
    all.enumerate().filter_map(load).collect()
}

/// The leaf of a chain, and the certificates above it. Every start refuses a chain that begins with a CA;
/// its leaf is judged all the same.
fn load_chain(source: &PemSource) -> Option<(Certificate, Vec<Certificate>)> {
    let setting = PemSetting {
        name: "".into(),
        source,
    };
    let mut chain = setting.certificates().ok()?;
    let leaf = chain.iter().position(|it| !it.is_ca()).unwrap_or(0);
    (leaf < chain.len()).then(|| (chain.remove(leaf), chain))
}
