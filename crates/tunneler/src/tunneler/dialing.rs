//! Which service a connection is for, and how to dial it.

use super::Tunneler;
use crate::dial::{Dial, NoDial};
use crate::mode::ProxyPort;
use crate::service::{Service, ServiceId};
use portcullis_tunnel_config::{AppData, HostName, Intercept, Protocol};
use std::net::SocketAddr;
use std::time::Duration;

/// As `intercept.v1` has it, for services without.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

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
        let service = self.service(found.service)?;
        let (identity, source) = found.fill(&self.identity, (source, destination))?;
        let name = found.name.map(HostName::as_str);
        Ok(Dial {
            service: service.id.clone(),
            service_name: service.name.clone(),
            is_encrypted: service.is_encrypted,
            identity,
            app_data: AppData::intercepted(protocol, name, destination, source),
            timeout: found.intercept.connect_timeout,
        })
    }

    /// How to dial the service of a connection, or a flow of datagrams, that came to a port. `local` is the
    /// address of the tunneler that it came to.
    ///
    /// # Errors
    ///
    /// If the port stands for no service any more.
    pub fn dial_proxied(&self, port: &ProxyPort, local: SocketAddr) -> Result<Dial, NoDial> {
        let holder = self.proxies.holder(port).ok_or(NoDial::NoService)?;
        let service = self.service(holder)?;
        Ok(Dial {
            service: service.id.clone(),
            service_name: service.name.clone(),
            is_encrypted: service.is_encrypted,
            identity: None,
            app_data: AppData::intercepted(port.protocol, None, local, None),
            timeout: timeout(service),
        })
    }

    fn service(&self, id: &ServiceId) -> Result<&Service, NoDial> {
        self.services.get(id).ok_or(NoDial::NoService)
    }
}

/// How long a dial of the service may take.
fn timeout(service: &Service) -> Duration {
    let intercept = Intercept::from_configs(|name| service.config(name));
    let timeout = intercept
        .ok()
        .flatten()
        .map(|intercept| intercept.connect_timeout);
    timeout.unwrap_or(DEFAULT_TIMEOUT)
}
