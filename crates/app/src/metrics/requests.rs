//! Requests to the APIs.

use parking_lot::RwLock;
use portcullis_domain::clock::Timestamp;
use portcullis_metrics::{
    BucketHistogram, Figure, LabelSet, Labelled, Labels, MetricName, MetricRegistry, Page, Timer,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const FIGURE: Figure = Figure {
    name: "http.server.request.duration",
    help: "Time from the head of a request to the head of its response.",
};

/// Those that OpenTelemetry gives, in seconds.
const BOUNDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// An operation of an API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Operation {
    /// Path of the API, such as `/fabric/v1`.
    pub base_path: &'static str,
    /// Path within the API, with parameters as `{name}`.
    pub path: &'static str,
}

/// How long requests take.
pub struct RequestMetrics {
    registry: Arc<MetricRegistry>,
    timers: RwLock<BTreeMap<(Operation, &'static str), Arc<Timer>>>,
    durations: Labelled<Request, BucketHistogram>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    operation: Option<Operation>,
    method: &'static str,
    status: u16,
}

impl RequestMetrics {
    pub(super) fn new(registry: Arc<MetricRegistry>) -> Self {
        Self {
            registry,
            timers: RwLock::default(),
            durations: Labelled::new(FIGURE, || BucketHistogram::new(BOUNDS)),
        }
    }

    /// Records a request that was answered with a status. It has no operation if its path or method is of none.
    pub fn record(&self, operation: Option<Operation>, method: &str, status: u16, time: Duration) {
        let method = known_method(method);
        let request = Request {
            operation,
            method,
            status,
        };
        self.durations.of(&request).record_time(time);
        if let Some(operation) = operation {
            self.timer(operation, method).record(time);
        }
    }

    fn timer(&self, operation: Operation, method: &'static str) -> Arc<Timer> {
        let key = (operation, method);
        if let Some(known) = self.timers.read().get(&key) {
            return Arc::clone(known);
        }
        let mut timers = self.timers.write();
        let timer = timers.entry(key).or_insert_with(|| {
            let name = timer_name(operation, method);
            self.registry.timer(MetricName::of_operation(name))
        });
        Arc::clone(timer)
    }

    pub(super) fn expose(&self, page: &mut Page, time: Option<Timestamp>) {
        self.durations.expose(page, time);
    }
}

/// The method, or `_OTHER`, as OpenTelemetry calls those that are not known.
pub fn known_method(method: &str) -> &'static str {
    let known = METHODS.into_iter().find(|known| *known == method);
    known.unwrap_or("_OTHER")
}

impl Operation {
    /// The whole path, as OpenTelemetry's `http.route`.
    pub fn route(self) -> String {
        format!("{}{}", self.base_path, self.path)
    }
}

/// The name that OpenZiti has for the timer of an operation, in which ids are `:id`, and then `:subid`.
fn timer_name(operation: Operation, method: &str) -> String {
    let mut ids = [":id", ":subid"].into_iter();
    let segments = operation.path.split('/').map(|segment| {
        if segment.starts_with('{') {
            ids.next().unwrap_or(":subid")
        } else {
            segment
        }
    });
    let path: Vec<_> = segments.collect();
    format!("{}{}.{method}", operation.base_path, path.join("/"))
}

impl LabelSet for Request {
    fn labels(&self) -> Labels {
        let route = self.operation.map(Operation::route);
        Labels::default()
            .with("http.request.method", self.method)
            .with("http.response.status_code", &self.status.to_string())
            .with("http.route", &route.unwrap_or_default())
            .with("url.scheme", "https")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_metrics::Exposition;

    const MEMBER: Operation = Operation {
        base_path: "/edge/management/v1",
        path: "/identities/{id}/enrollments/{path}",
    };

    #[test]
    fn requests_are_known_by_their_operation_and_never_by_what_clients_send() {
        let registry = Arc::new(MetricRegistry::default());
        let requests = RequestMetrics::new(Arc::clone(&registry));
        let time = Duration::from_millis(20);
        requests.record(Some(MEMBER), "PATCH", 200, time);
        requests.record(Some(MEMBER), "PATCH", 404, time);
        for made_up in ["BREW", "SELECT"] {
            requests.record(None, made_up, 404, time);
        }
        let names: Vec<_> = registry
            .snapshot()
            .iter()
            .map(|(name, _)| name.to_string())
            .collect();
        assert_eq!(
            names,
            ["/edge/management/v1/identities/:id/enrollments/:subid.PATCH"]
        );
        let mut page = Page::new(Exposition::Prometheus);
        requests.expose(&mut page, None);
        let text = page.finish();
        let of_route = "http_server_request_duration_seconds_bucket{http_request_method=\"PATCH\",\
                        http_response_status_code=\"404\",\
                        http_route=\"/edge/management/v1/identities/{id}/enrollments/{path}\",\
                        url_scheme=\"https\",le=\"0.025\"} 1\n";
        assert!(text.contains(of_route), "{text}");
        let of_none = "http_server_request_duration_seconds_count{http_request_method=\"_OTHER\",\
                       http_response_status_code=\"404\",url_scheme=\"https\"} 2\n";
        assert!(text.contains(of_none), "{text}");
    }
}
