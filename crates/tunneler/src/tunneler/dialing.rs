//! Which service a connection is for, and how to dial it.

use super::Tunneler;
use crate::dial::{Dial, NoDial};
use crate::mode::ProxyPort;
use crate::service::ServiceId;
use portcullis_tunnel_config::{
    AppData, HostName, Protocol, Template, TemplateContext, TemplateError,
};
use std::net::SocketAddr;
use std::time::Duration;

/// As `intercept.v1` has it, for services without.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection, or a flow of datagrams, as the tunneler sees it.
#[derive(Debug, Clone, Copy)]
struct Connection<'c> {
    protocol: Protocol,
    from: SocketAddr,
    to: SocketAddr,
    /// The name that `to` stands for.
    name: Option<&'c HostName>,
}

impl Tunneler {
    /// How to dial the service of a connection, or a flow of datagrams, that was intercepted.
    ///
    /// # Errors
    ///
    /// If there is no such service, or its configuration cannot be followed.
    pub fn dial_intercepted(
        &self,
        protocol: Protocol,
        source: SocketAddr,
        destination: SocketAddr,
    ) -> Result<Dial, NoDial> {
        let interception = self.interception.as_ref().ok_or(NoDial::NoService)?;
        let found = interception.find(protocol, source, destination)?;
        let connection = Connection {
            protocol,
            from: source,
            to: destination,
            name: found.name,
        };
        self.dial(&found.service, connection)
    }

    /// How to dial the service of a connection, or a flow of datagrams, that came to a port. `local` is the
    /// address of the tunneler that it came to.
    ///
    /// # Errors
    ///
    /// If the port stands for no service any more, or the configuration of the service cannot be followed.
    pub fn dial_proxied(
        &self,
        port: &ProxyPort,
        client: SocketAddr,
        local: SocketAddr,
    ) -> Result<Dial, NoDial> {
        let holder = self.proxies.holder(port).ok_or(NoDial::NoService)?;
        let connection = Connection {
            protocol: port.protocol,
            from: client,
            to: local,
            name: None,
        };
        self.dial(holder, connection)
    }

    /// The service that is intercepted for connections from one address to another.
    pub fn service_at(
        &self,
        protocol: Protocol,
        from: SocketAddr,
        to: SocketAddr,
    ) -> Option<&ServiceId> {
        let found = self.interception.as_ref()?.find(protocol, from, to).ok()?;
        let known = self.services.get_key_value(&found.service);
        known.map(|(id, _)| id)
    }

    fn dial(&self, service: &ServiceId, connection: Connection<'_>) -> Result<Dial, NoDial> {
        let service = self.services.get(service).ok_or(NoDial::NoService)?;
        let intercept = self.intercepts.get(&service.id);
        let Connection {
            protocol,
            from,
            to,
            name,
        } = connection;
        let name = name.map(HostName::as_str);
        let context = TemplateContext {
            tunneler: &self.identity,
            connection: Some((from, to)),
            destination_name: name,
        };
        let identity = intercept.and_then(|intercept| intercept.dial_identity.as_ref());
        let source = intercept.and_then(|intercept| intercept.source_address.as_ref());
        let source = fill(source, context)?;
        Ok(Dial {
            service: service.id.clone(),
            service_name: service.name.clone(),
            is_encrypted: service.is_encrypted,
            identity: fill(identity, context)?,
            app_data: AppData::intercepted(protocol, name, to, source),
            timeout: intercept.map_or(DEFAULT_TIMEOUT, |intercept| intercept.connect_timeout),
        })
    }
}

/// What a template says; nothing if that is empty.
fn fill(
    template: Option<&Template>,
    context: TemplateContext<'_>,
) -> Result<Option<String>, TemplateError> {
    let filled = template
        .map(|template| template.fill(context))
        .transpose()?;
    Ok(filled.filter(|text| !text.is_empty()))
}
