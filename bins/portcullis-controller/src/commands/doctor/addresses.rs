//! The running controller, as clients see it at each address that they are told.

use super::probe::{self, Answer};
use super::report::{Report, Verdict};
use crate::build::BUILD;
use crate::ca_bundle::CaBundle;
use crate::judgement::{describe_span, served_leaves};
use crate::store;
use portcullis_controller_config::{ApiKind, ControllerConfig, TransportAddress, WebListener};
use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use portcullis_pki::{Certificate, TrustAnchors, VerifyAt};
use portcullis_yaml::syntax::HostPort;
use serde_json::Value;
use std::time::Duration;

/// How far two clocks may differ: one-time codes are good for half a minute.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_secs(30);

/// Asks each advertised address once.
pub(super) fn check(
    config: &ControllerConfig,
    timeout: Duration,
    clock: &dyn Clock,
    report: &mut Report,
) {
    let doctor = AddressDoctor {
        expected: served_leaves(config),
        anchors: CaBundle::load(config)
            .ok()
            .and_then(|bundle| TrustAnchors::new(bundle.for_clients()).ok()),
        is_stopped: store::is_in_use(&config.store.store_path()) == Some(false),
        timeout,
        clock,
    };
    let mut asked: Vec<&HostPort> = Vec::new();
    let mut own: Vec<&HostPort> = Vec::new();
    for listener in &config.web {
        let Some(path) = path(listener) else { continue };
        for point in &listener.bind_points {
            for address in std::iter::once(&point.address).chain(&point.new_address) {
                if !asked.contains(&address) {
                    asked.push(address);
                    if doctor.check_address(address, path, report) {
                        own.push(address);
                    }
                }
            }
        }
        let first = listener.bind_points.first().map(|point| &point.address);
        if let Some(address) = first.filter(|address| own.contains(address)) {
            check_health(listener, address, timeout, report);
        }
    }
    doctor.check_routers(&config.router_address(), report);
}

/// A path that a listener answers without a login.
fn path(listener: &WebListener) -> Option<&'static str> {
    let paths = [
        (ApiKind::EdgeClient, "/edge/client/v1/version"),
        (ApiKind::EdgeManagement, "/edge/management/v1/version"),
        (ApiKind::HealthChecks, HEALTH_PATH),
    ];
    let mut served = paths.iter().filter(|(api, _)| listener.hosts(*api));
    served.next().map(|(_, path)| *path)
}

const HEALTH_PATH: &str = "/health-checks";

struct AddressDoctor<'a> {
    /// Leaves that the files hold.
    expected: Vec<Certificate>,
    anchors: Option<TrustAnchors>,
    /// Whether no controller holds the store, so that whatever answers is another server.
    is_stopped: bool,
    timeout: Duration,
    clock: &'a dyn Clock,
}

impl AddressDoctor<'_> {
    /// Asks an address, and tells whether the controller of the configuration answers, as far as that
    /// can be seen.
    fn check_address(&self, address: &HostPort, path: &str, report: &mut Report) -> bool {
        let url = format!("https://{address}");
        match probe::get(&address.host, address.port, path, self.timeout) {
            Err(why) => {
                report.add(
                    Verdict::Error,
                    "address",
                    format!("clients do not reach {url}: {why}"),
                    Some(
                        "see that the controller runs, and that name, port and firewall lead to it",
                    ),
                );
                false
            },
            Ok(_) if self.is_stopped => {
                report.add(
                    Verdict::Error,
                    "address",
                    format!("another server answers at {url}: no controller holds the store"),
                    Some("end that server, or choose another port"),
                );
                false
            },
            Ok(answer) => {
                let is_own = self.check_certificate(&url, &address.host, &answer.chain, report);
                if is_own {
                    check_answer(&url, &answer, report);
                }
                self.check_clock(&url, &answer, report);
                is_own
            },
        }
    }

    /// Asks for a handshake at the address that routers are told.
    fn check_routers(&self, address: &TransportAddress, report: &mut Report) {
        let HostPort { host, port } = &address.endpoint;
        match probe::control_handshake(host, *port, self.timeout) {
            Err(why) => report.add(
                Verdict::Error,
                "control-channel",
                format!("routers do not reach {address}: {why}"),
                Some("see that the controller runs, and that name, port and firewall lead to it"),
            ),
            Ok(chain) => {
                report.ok("control-channel", format!("routers reach {address}"));
                self.check_certificate(&address.to_string(), host, &chain, report);
            },
        }
    }

    /// Judges the certificate as a client does that trusts the CA bundle. Answers `false` if it is one of
    /// another network.
    fn check_certificate(
        &self,
        url: &str,
        host: &str,
        chain: &[Certificate],
        report: &mut Report,
    ) -> bool {
        let (Some((leaf, between)), Some(anchors)) = (chain.split_first(), &self.anchors) else {
            let message = format!("the certificate that {url} serves cannot be judged");
            let help = "run this where the CA bundle of the configuration can be read";
            report.add(Verdict::Unseen, "served-certificate", message, Some(help));
            return true;
        };
        let is_known = self.expected.is_empty() || self.expected.contains(leaf);
        let any_time = anchors.verify_server_path(leaf, between, VerifyAt::AnyCommonTime);
        let at = VerifyAt::Now(self.clock.now());
        let refusal = match anchors.verify_server_path(leaf, between, at) {
            Err(error) => Some(error.to_string()),
            Ok(_) if !leaf.covers_host(host) => Some(format!("it is not valid for {host}")),
            Ok(_) => None,
        };
        if let Some(why) = refusal {
            let message = format!("clients refuse the certificate that {url} serves: {why}");
            report.add(Verdict::Error, "served-certificate", message, None);
        } else {
            let message = format!(
                "clients accept the certificate that {url} serves, until {}",
                leaf.not_after()
            );
            report.ok("served-certificate", message);
        }
        if !is_known {
            report.add(
                Verdict::Warning,
                "other-certificate",
                format!("the certificate that {url} serves is none of the configuration"),
                Some(
                    "the controller takes new files up within a minute; if it does not, its log says \
                     why, or another server answers there",
                ),
            );
        }
        is_known || any_time.is_ok()
    }

    /// Holds the clock of the answer against that of this machine.
    fn check_clock(&self, url: &str, answer: &Answer, report: &mut Report) {
        let Some(theirs) = answer.date.as_deref().and_then(parse_date) else {
            return;
        };
        let difference = theirs.duration_since(self.clock.now());
        if difference.abs() > CLOCK_TOLERANCE {
            report.add(
                Verdict::Error,
                "clock",
                format!(
                    "the clock at {url} differs by {}",
                    describe_span(difference)
                ),
                Some("synchronize both clocks, for example with chrony"),
            );
        } else {
            report.ok(
                "clock",
                format!("the clock at {url} is that of this machine"),
            );
        }
    }
}

/// Parses the date of an HTTP header, such as `Tue, 24 Nov 2026 19:00:00 GMT`.
fn parse_date(text: &str) -> Option<Timestamp> {
    let (year, rest) = (text.get(12..16)?, text.get(17..25)?);
    let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let month = months
        .iter()
        .position(|name| Some(*name) == text.get(8..11))?
        + 1;
    let day = text.get(5..7)?;
    format!("{year}-{month:02}-{day}T{rest}Z").parse().ok()
}

fn check_answer(url: &str, answer: &Answer, report: &mut Report) {
    let text = |pointer| answer.body.pointer(pointer).and_then(Value::as_str);
    if answer.status != 200 {
        let status = answer.status;
        report.add(
            Verdict::Error,
            "address",
            format!("{url} answers with status {status}, not as a controller does"),
            Some("see which server answers there; its log may say more"),
        );
        return;
    }
    match text("/data/buildInfo") {
        Some(software) => report.ok("address", format!("{url} answers: {software}")),
        None => report.ok("address", format!("{url} answers")),
    }
    let is_other = |revision: &str| !revision.starts_with(BUILD.revision);
    if text("/data/revision").is_some_and(is_other) {
        report.add(
            Verdict::Note,
            "other-build",
            format!("{url} runs another build than this program"),
            Some("restart the controller if it should run this one"),
        );
    }
}

/// Asks for the health checks of a listener that has them.
fn check_health(
    listener: &WebListener,
    address: &HostPort,
    timeout: Duration,
    report: &mut Report,
) {
    if !listener.hosts(ApiKind::HealthChecks) {
        return;
    }
    // Silence was reported already.
    let Ok(answer) = probe::get(&address.host, address.port, HEALTH_PATH, timeout) else {
        return;
    };
    let checks = answer
        .body
        .pointer("/data/checks")
        .and_then(Value::as_array);
    for check in checks.into_iter().flatten() {
        let member = |name| check.get(name);
        let id = member("id").and_then(Value::as_str).unwrap_or_default();
        if member("healthy").and_then(Value::as_bool) == Some(true) {
            report.ok("health", format!("the health check {id} passes"));
        } else {
            let message = format!("the health check {id} fails; the log says why");
            report.add(Verdict::Error, "health", message, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_headers_are_read() {
        let expected = "2026-11-24T19:00:07Z".parse().ok();
        assert_eq!(parse_date("Tue, 24 Nov 2026 19:00:07 GMT"), expected);
        for wrong in [
            "",
            "Tuesday",
            "Tue, 24 Foo 2026 19:00:07 GMT",
            "Tue, 24 N\u{f6}v 2026 19:00",
        ] {
            assert_eq!(parse_date(wrong), None, "{wrong}");
        }
    }
}
