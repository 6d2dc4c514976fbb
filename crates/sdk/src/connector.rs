//! Connecting to one router.

use crate::channel::{OpenedChannel, RouterChannel, Stop, Updates};
use crate::error::with_causes;
use crate::sessions::Sessions;
use crate::{tcp, tls};
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::{AnswerError, Grouping};
use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, Role};
use portcullis_edge_session::{EdgeRouter, EdgeSession, SessionError};
use portcullis_pki::Certificate;
use portcullis_sdk_proto::{EdgeOptions, RouterTerms};
use portcullis_transport::{DialError, Transport, dial};
use std::io;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// Time for TCP, TLS and the hello.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A router was not reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// It offers web sockets alone, which are not supported, or nothing.
    #[error("it has no address for TLS")]
    NoAddress,
    #[error("{0} is no address of a router, which is like router.example.com:3022")]
    Address(String),
    #[error("{}", with_causes(.0))]
    Session(SessionError),
    #[error("it does not answer within {} s", CONNECT_TIMEOUT.as_secs())]
    TimedOut,
    #[error("it cannot be connected to: {0}")]
    Io(io::Error),
    #[error("it does not accept the connection: {}", with_causes(.0))]
    Hello(DialError),
    /// By the certificate that it has shown.
    #[error("at its address is {shown:?}, not the router with the id {id:?}")]
    OtherRouter { id: String, shown: String },
    #[error("the network is closed")]
    Closed,
}

impl From<SessionError> for ConnectError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// What connections to all routers have in common.
#[derive(Debug)]
pub(crate) struct Connector {
    pub(crate) transport: Transport,
    pub(crate) session: EdgeSession,
    pub(crate) sessions: Sessions,
    /// CA certificates of the network.
    pub(crate) authorities: Vec<Certificate>,
    pub(crate) options: EdgeOptions,
    /// What all channels are told.
    pub(crate) stop: watch::Sender<Stop>,
    /// What the program calls itself in hellos.
    pub(crate) name: String,
}

impl Connector {
    /// Opens a channel. A router that does not accept the session ends it within 5 s or so.
    pub(crate) async fn connect(&self, router: &EdgeRouter) -> Result<RouterChannel, ConnectError> {
        let address = router.tls().ok_or(ConnectError::NoAddress)?;
        let (host, port) =
            host_and_port(address).ok_or_else(|| ConnectError::Address(address.to_owned()))?;
        let updates = Updates {
            sessions: self.sessions.clone(),
            posture: self.session.posture(),
            stop: self.stop.subscribe(),
        };
        let session = self.session.opened().await?;
        let session = self.sessions.shown(&session);
        let credential = self.session.router_credential().await?;
        let deadline = Instant::now() + CONNECT_TIMEOUT;
        let connecting = async {
            let socket = tcp::connect(host, port).await?;
            tls::connect(socket, host, &credential, &self.authorities).await
        };
        let stream = timeout_at(deadline, connecting)
            .await
            .map_err(|_elapsed| ConnectError::TimedOut)??;
        check_router(router, tls::peer_name(&stream))?;
        let hello = session.hello(self.name.clone(), Role::Default, Grouping::Ungrouped);
        let greeted = Instant::now();
        let dialed = dial(stream, &hello, deadline).await.map_err(refused)?;
        let hello_time = greeted.elapsed();
        let terms = RouterTerms::from_answer(&dialed.answer);
        let id = terms.router_id.as_deref().and_then(GroupId::new);
        let id = id.or_else(|| GroupId::new("router"));
        let grant = ChannelGrant::ungrouped(id.ok_or(ConnectError::NoAddress)?);
        let options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer);
        let (handle, inbox) = self.transport.open(grant, options, dialed.connected);
        let parts = OpenedChannel {
            handle,
            inbox,
            terms,
            session,
            hello_time,
        };
        let options = self.options.clone();
        Ok(RouterChannel::start(
            &self.transport,
            parts,
            updates,
            options,
        ))
    }
}

/// Any router may have the host name of another one in its certificate, but not its id.
fn check_router(router: &EdgeRouter, shown: Option<String>) -> Result<(), ConnectError> {
    match &router.id {
        Some(id) if shown.as_deref() != Some(id.as_str()) => Err(ConnectError::OtherRouter {
            id: id.to_string(),
            shown: shown.unwrap_or_default(),
        }),
        _ => Ok(()),
    }
}

fn refused(error: DialError) -> ConnectError {
    match error {
        DialError::Answer(AnswerError::TimedOut) => ConnectError::TimedOut,
        DialError::Io(error) => error.into(),
        other => ConnectError::Hello(other),
    }
}

/// The parts of an address such as `router.example.com:3022` or `[::1]:3022`.
fn host_and_port(address: &str) -> Option<(&str, u16)> {
    let address = address.strip_prefix("tls:").unwrap_or(address);
    let (host, port) = address.rsplit_once(':')?;
    let bracketed = host.strip_prefix('[').map(|host| host.strip_suffix(']'));
    let host = bracketed.unwrap_or(Some(host))?;
    (!host.is_empty()).then_some((host, port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::ids::RouterId;
    use std::collections::BTreeMap;

    #[test]
    fn other_routers_are_not_taken_for_the_one_that_is_meant() {
        let router = |id: Option<&str>| EdgeRouter {
            id: id.map(RouterId::from_wire),
            name: "r1".to_owned(),
            urls: BTreeMap::new(),
        };
        let shown = |id: &str| Some(id.to_owned());
        assert!(check_router(&router(Some("a")), shown("a")).is_ok());
        assert!(check_router(&router(None), shown("b")).is_ok());
        assert!(check_router(&router(Some("a")), None).is_err());
        let error = check_router(&router(Some("a")), shown("b")).unwrap_err();
        let text = "at its address is \"b\", not the router with the id \"a\"";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn addresses_have_a_host_and_a_port() {
        assert_eq!(host_and_port("r1.example:3022"), Some(("r1.example", 3022)));
        assert_eq!(host_and_port("tls:10.0.0.1:443"), Some(("10.0.0.1", 443)));
        assert_eq!(host_and_port("[::1]:443"), Some(("::1", 443)));
        for wrong in [
            "",
            "r1.example",
            "r1.example:",
            ":3022",
            "[::1:443",
            "r1:70000",
        ] {
            assert_eq!(host_and_port(wrong), None, "{wrong}");
        }
    }
}
