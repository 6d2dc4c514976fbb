//! Values of the configuration that judgements are about.

use portcullis_controller_config::{
    AddressReference, ExternalReferences, IdentityReferences, PemReference,
};
use portcullis_yaml::{KeyPath, SourceLocation};
use std::fmt;

/// A value of the configuration. `listener` is a position in `web`; without it, the value belongs to the
/// controller itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConfigKey {
    /// A client certificate.
    Client { listener: Option<usize> },
    /// A server certificate: the default is number 0, the alternatives follow.
    Server {
        listener: Option<usize>,
        number: usize,
    },
    /// Trusted certificates.
    Ca { listener: Option<usize> },
    /// The certificate of the authority that signs identities.
    Signing,
    /// Further certificates for clients to trust.
    SigningCa,
    /// `edge.api.address`.
    ClientAddress,
    /// `address` of a bind point, or `newAddress` if that is meant.
    BindPoint {
        listener: usize,
        point: usize,
        is_new: bool,
    },
    /// An entry of `allowedHostnames` of `edge-oidc`; `api` is a position in `apis`.
    LoginHost {
        listener: usize,
        api: usize,
        number: usize,
    },
    /// `ctrl.options.advertiseAddress`.
    RouterAddress,
}

impl ConfigKey {
    /// The server certificate of the controller.
    pub(crate) const DEFAULT_SERVER: Self = Self::Server {
        listener: None,
        number: 0,
    };

    /// Key and place of the value in the files.
    pub(crate) fn locate(
        &self,
        references: &ExternalReferences,
    ) -> Option<(KeyPath, SourceLocation)> {
        let of_pem = |pem: &PemReference| (pem.path.clone(), pem.place);
        let of_address = |address: &AddressReference| (address.path.clone(), address.place);
        let identity = |listener: &Option<usize>| -> Option<&IdentityReferences> {
            let mut all = references.identities.iter();
            all.find(|identity| identity.listener == *listener)
        };
        match self {
            Self::Client { listener } => identity(listener)?.client.cert.as_ref().map(of_pem),
            Self::Server { listener, number } => {
                let server = identity(listener)?.servers.get(*number)?;
                server.cert.as_ref().map(of_pem)
            },
            Self::Ca { listener } => identity(listener)?.ca.as_ref().map(of_pem),
            Self::Signing => references.signing.cert.as_ref().map(of_pem),
            Self::SigningCa => references.signing_ca.as_ref().map(of_pem),
            Self::ClientAddress => references.client_address.as_ref().map(of_address),
            Self::BindPoint {
                listener,
                point,
                is_new,
            } => {
                let mut of_listener = (references.bind_points.iter())
                    .filter(|bind_point| bind_point.listener == *listener);
                let advertised = &of_listener.nth(*point)?.advertised;
                advertised.get(usize::from(*is_new)).map(of_address)
            },
            Self::LoginHost {
                listener,
                api,
                number,
            } => {
                let mut hosts = references.login_hosts.iter();
                let host = hosts.find(|host| {
                    (host.listener, host.api, host.number) == (*listener, *api, *number)
                })?;
                Some((host.path.clone(), host.place))
            },
            Self::RouterAddress => references.router_address.as_ref().map(of_address),
        }
    }
}

impl fmt::Display for ConfigKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let section = |formatter: &mut fmt::Formatter<'_>, listener: &Option<usize>| match listener
        {
            Some(number) => write!(formatter, "web[{number}].identity"),
            None => formatter.write_str("identity"),
        };
        match self {
            Self::Client { listener } => {
                section(formatter, listener)?;
                formatter.write_str(".cert")
            },
            Self::Server { listener, number } => {
                section(formatter, listener)?;
                match number.checked_sub(1) {
                    None => formatter.write_str(".server_cert"),
                    Some(further) => write!(formatter, ".alt_server_certs[{further}].server_cert"),
                }
            },
            Self::Ca { listener } => {
                section(formatter, listener)?;
                formatter.write_str(".ca")
            },
            Self::Signing => formatter.write_str("edge.enrollment.signingCert.cert"),
            Self::SigningCa => formatter.write_str("edge.enrollment.signingCert.ca"),
            Self::ClientAddress => formatter.write_str("edge.api.address"),
            Self::BindPoint {
                listener,
                point,
                is_new,
            } => {
                let name = if *is_new { "newAddress" } else { "address" };
                write!(formatter, "web[{listener}].bindPoints[{point}].{name}")
            },
            Self::LoginHost {
                listener,
                api,
                number,
            } => write!(
                formatter,
                "web[{listener}].apis[{api}].options.allowedHostnames[{number}]"
            ),
            Self::RouterAddress => formatter.write_str("ctrl.options.advertiseAddress"),
        }
    }
}
