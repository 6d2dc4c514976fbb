//! Traces of requests, as a port: who is told of them is not known here.

use http::HeaderMap;
use portcullis_app::metrics::Operation;
use portcullis_domain::ids::RequestId;
use std::net::IpAddr;

/// Begins a span for each request whose trace is told of. It must not wait.
pub trait RequestTracer: Send + Sync {
    /// Begins the span of a request with these headers (W3C Trace Context); `None` if it is not told of.
    fn begin(
        &self,
        traceparent: Option<&str>,
        tracestate: Option<&str>,
    ) -> Option<Box<dyn RequestSpan>>;
}

/// The span of a request that is not answered yet. One that is dropped is not told of.
pub trait RequestSpan: Send {
    /// Ends the span. It must not wait.
    fn end(self: Box<Self>, request: &AnsweredRequest<'_>);
}

/// A request that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredRequest<'r> {
    pub id: &'r RequestId,
    /// One of the known ones, or `_OTHER`.
    pub method: &'static str,
    /// None if its path or method is of none.
    pub operation: Option<Operation>,
    pub status: u16,
    pub peer: IpAddr,
}

/// Begins the span of a request. Several `traceparent` are as none (Trace Context, section 3.2).
pub(crate) fn begin(
    tracer: &dyn RequestTracer,
    headers: &HeaderMap,
) -> Option<Box<dyn RequestSpan>> {
    let mut parents = headers.get_all("traceparent").iter();
    let parent = parents.next().filter(|_| parents.next().is_none());
    let parent = parent.and_then(|value| value.to_str().ok());
    let states: Option<Vec<_>> = headers
        .get_all("tracestate")
        .iter()
        .map(|value| value.to_str().ok())
        .collect();
    let state = states.unwrap_or_default().join(",");
    tracer.begin(parent, Some(&*state).filter(|state| !state.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use std::sync::Mutex;

    /// Remembers the headers.
    #[derive(Default)]
    struct Seen(Mutex<Vec<(Option<String>, Option<String>)>>);

    impl RequestTracer for Seen {
        fn begin(&self, parent: Option<&str>, state: Option<&str>) -> Option<Box<dyn RequestSpan>> {
            let headers = (parent.map(str::to_owned), state.map(str::to_owned));
            self.0.lock().unwrap().push(headers);
            None
        }
    }

    #[test]
    fn one_parent_counts_and_states_are_joined() {
        let seen = Seen::default();
        let mut headers = HeaderMap::new();
        begin(&seen, &headers);
        headers.append("traceparent", HeaderValue::from_static("p"));
        headers.append("tracestate", HeaderValue::from_static("a=1"));
        headers.append("tracestate", HeaderValue::from_static("b=2"));
        begin(&seen, &headers);
        headers.append("traceparent", HeaderValue::from_static("q"));
        begin(&seen, &headers);
        let text = |text: &str| Some(text.to_owned());
        let state = text("a=1,b=2");
        let expected = [(None, None), (text("p"), state.clone()), (None, state)];
        assert_eq!(*seen.0.lock().unwrap(), expected);
    }
}
