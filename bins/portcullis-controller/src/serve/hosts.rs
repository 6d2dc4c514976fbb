//! Hosts of the controller in its configuration.

use portcullis_app::network::ControllerHosts;
use portcullis_controller_config::ControllerConfig;
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
