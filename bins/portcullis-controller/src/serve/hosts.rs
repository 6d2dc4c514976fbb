//! Hosts of the controller in its configuration.

use portcullis_app::network::{ControllerHosts, OidcAddresses};
use portcullis_controller_config::{ApiKind, ControllerConfig, OidcOptions, WebApi, WebListener};
use portcullis_yaml::syntax::HostPort;

/// Collects the hosts of all listen and advertised addresses of the configuration.
pub(crate) fn own_hosts(config: &ControllerConfig) -> ControllerHosts {
    let points = config.web.iter().flat_map(|listener| &listener.bind_points);
    let of_points = points.flat_map(|point| {
        let told = [&point.interface, &point.address];
        told.into_iter().chain(&point.new_address)
    });
    let ctrl = &config.ctrl;
    let for_routers = std::iter::once(&ctrl.listener)
        .chain(&ctrl.advertise_address)
        .map(|address| &address.endpoint);
    let all = std::iter::once(&config.edge.api.address)
        .chain(of_points)
        .chain(for_routers);
    ControllerHosts {
        names: all.map(|HostPort { host, .. }| host.clone()).collect(),
        shared: config.edge.enrollment.shared_hosts.clone(),
    }
}

/// Collects the addresses at which OIDC logins are served.
pub(super) fn oidc_addresses(config: &ControllerConfig) -> OidcAddresses {
    let serves_logins = |listener: &&WebListener| listener.hosts(ApiKind::EdgeOidc);
    let points = config
        .web
        .iter()
        .filter(serves_logins)
        .flat_map(|listener| &listener.bind_points)
        .flat_map(|point| [&point.interface, &point.address]);
    let allowed = oidc_options(config).flat_map(|options| &options.allowed_hostnames);
    let hosts = points.clone().map(|point| &point.host).chain(allowed);
    OidcAddresses {
        hosts: hosts.cloned().collect(),
        ports: points.map(|point| point.port).collect(),
    }
}

/// Whether a console is served.
pub(super) fn serves_console(config: &ControllerConfig) -> bool {
    let mut listeners = config.web.iter();
    listeners.any(|listener| listener.hosts(ApiKind::Spa))
}

/// The options of all bindings of `edge-oidc`.
pub(super) fn oidc_options(config: &ControllerConfig) -> impl Iterator<Item = &OidcOptions> {
    let apis = config.web.iter().flat_map(|listener| &listener.apis);
    apis.filter_map(|api| match api {
        WebApi::EdgeOidc(options) => Some(options),
        _ => None,
    })
}
