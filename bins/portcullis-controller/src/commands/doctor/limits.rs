//! The limits of the running controller, or else of one that this user would start.

use super::report::{Report, Verdict};
use crate::store;
use portcullis_controller_config::ControllerConfig;
use rustix::process::{Resource, getrlimit};
use std::fs;
use std::num::NonZero;
use std::path::Path;

const CODE: &str = "descriptors";

/// The part of the configured connections for which there should be descriptors at least.
const FEW_DESCRIPTORS: u64 = 4;

/// Maximum number of open files; `None` is no limit.
type OpenFilesLimit = Option<u64>;

pub(super) fn check(config: &ControllerConfig, report: &mut Report) {
    let store = config.store.store_path();
    let limits = &config.limits;
    let connections = limits.connections.total + limits.router_connections;
    if let Some((process, limit)) = limit_of_running(&store) {
        let subject = format!("the running controller (process {process})");
        judge(&subject, limit, connections, report);
        return;
    }
    if store::is_in_use(&store) == Some(true) {
        let message = "the limits of the running controller cannot be seen";
        report.add(Verdict::Unseen, CODE, message, None);
    }
    // A controller raises its limit as far as it may.
    let limit = getrlimit(Resource::Nofile).maximum;
    judge(
        "a controller that this user starts",
        limit,
        connections,
        report,
    );
}

fn judge(subject: &str, limit: OpenFilesLimit, connections: u64, report: &mut Report) {
    match limit {
        // It serves fewer connections then.
        Some(most) if most < connections / FEW_DESCRIPTORS => report.add(
            Verdict::Warning,
            CODE,
            format!(
                "{subject} may open {most} files, far fewer than the {connections} connections that \
                 `limits.connections` and `limits.routerConnections` allow"
            ),
            Some("raise `LimitNOFILE` of the unit or `ulimit -n`, or lower these limits"),
        ),
        Some(most) => report.ok(CODE, format!("{subject} may open {most} files")),
        None => report.ok(CODE, format!("{subject} may open any number of files")),
    }
}

/// The controller that holds a store, with its limit; `None` if this user cannot see it.
fn limit_of_running(store: &Path) -> Option<(NonZero<u32>, OpenFilesLimit)> {
    let process = store::lock_holder(store)?;
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).ok()?;
    Some((process, parse_open_files(&limits)?))
}

/// The limit in force by the text of `/proc/PID/limits`.
fn parse_open_files(limits: &str) -> Option<OpenFilesLimit> {
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(None),
        most => most.parse().ok().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_in_force_is_read() {
        let text = |limit: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max processes             63211                63211                processes \n\
                 Max open files            {limit:<20} 524288               files     \n"
            )
        };
        assert_eq!(parse_open_files(&text("1024")), Some(Some(1024)));
        assert_eq!(parse_open_files(&text("unlimited")), Some(None));
        for wrong in [text("many"), "Max open files".to_owned(), String::new()] {
            assert_eq!(parse_open_files(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn few_descriptors_for_many_connections_are_a_warning() {
        let verdict_of = |limit| {
            let mut report = Report::default();
            judge("it", limit, 4000, &mut report);
            report.to_json()["findings"][0]["severity"].clone()
        };
        assert_eq!(verdict_of(Some(999)), "warning");
        assert_eq!(verdict_of(Some(1000)), "ok");
        assert_eq!(verdict_of(None), "ok");
    }
}
