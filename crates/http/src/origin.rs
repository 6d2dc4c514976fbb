//! Where requests come from, and where to.

use http::header;
use http::request::Parts;
use portcullis_app::metrics::known_method;
use portcullis_domain::access::Origin;
use portcullis_domain::ids::RequestId;
use portcullis_listener::Connection;

/// The longest host and port, in bytes: those of a name (RFC 1035, section 2.3.4).
const MAX_HOST: usize = 253 + ":65535".len();

/// The origin of a request that has come over a connection.
pub(crate) fn origin(request: RequestId, connection: &Connection, head: &Parts) -> Origin {
    // Whoever takes events keeps it, so that it must not be as long as a header may be.
    let target = Some(host(head)).filter(|host| (1..=MAX_HOST).contains(&host.len()));
    Origin {
        target: target.map(Into::into),
        method: Some(known_method(head.method.as_str())),
        ..Origin::new(request, connection.peer)
    }
}

/// The host that a request is addressed to, and its port if there is one; empty if it names none.
fn host(head: &Parts) -> &str {
    let text = if let Some(authority) = head.uri.authority() {
        authority.as_str()
    } else {
        let host = head.headers.get(header::HOST);
        host.and_then(|host| host.to_str().ok()).unwrap_or_default()
    };
    // Before it there may be a user with a password, which events must not tell.
    text.rsplit_once('@').map_or(text, |(_, host)| host)
}
