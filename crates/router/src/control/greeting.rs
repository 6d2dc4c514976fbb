//! What routers and controllers say of themselves.

use portcullis_channel::hello::Accepted;
use portcullis_channel::{BuildVersion, Headers};
use portcullis_router_config::model::Listener as ListenerConfig;
use portcullis_wire::capability::{Capabilities, ControllerCapability, RouterCapability};
use portcullis_wire::control::edge_hello::{
    ClientHello, ClientHelloBody, EdgeAddress, EdgeListener,
};
use portcullis_wire::control::hello::{ControllerHello, RouterHello};
use portcullis_wire::control::peer::Listener;
use portcullis_yaml::syntax::HostPort;

use crate::edge::{ControllerId, is_for_sdks};

/// What a router says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Greeting {
    /// Id of the router.
    pub router: String,
    hello: RouterHello,
    /// `None` for a router of the fabric only.
    edge: Option<EdgeOffer>,
}

/// Where SDKs are let in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EdgeOffer {
    listeners: Vec<EdgeListener>,
}

impl Greeting {
    /// A router with these listeners for links.
    pub fn new(
        router: String,
        version: BuildVersion,
        link_listeners: Vec<Listener>,
        edge: Option<EdgeOffer>,
    ) -> Self {
        let hello = RouterHello {
            version,
            capabilities: Capabilities::of([
                RouterCapability::MultiChannel,
                RouterCapability::ConnectV2,
                RouterCapability::ServiceSubscriptions,
                RouterCapability::PostureChecks,
                RouterCapability::BindSuccess,
                RouterCapability::RouterDataModel,
            ]),
            listeners: link_listeners,
            control_listeners: Vec::new(),
            unreadable: Vec::new(),
        };
        Self {
            router,
            hello,
            edge,
        }
    }

    /// The headers of the hello of each connection.
    pub fn headers(&self) -> Headers {
        self.hello.to_headers()
    }

    /// What an edge router answers to the controller's greeting; `model_index` is 0 without a model.
    pub fn client_hello(&self, model_index: u64) -> Option<ClientHello> {
        let EdgeOffer { listeners } = self.edge.clone()?;
        let addresses: Vec<_> = listeners
            .iter()
            .filter_map(|one| one.advertised.as_ref())
            .collect();
        let hello = ClientHelloBody {
            version: self.hello.version.version.clone(),
            hostname: addresses
                .last()
                .map(|one| one.hostname.clone())
                .unwrap_or_default(),
            protocols: addresses.iter().map(|one| one.protocol.clone()).collect(),
            protocol_ports: addresses.iter().map(|one| one.port.to_string()).collect(),
            listeners,
            ..ClientHelloBody::default()
        };
        Some(ClientHello {
            hello,
            has_data_model: true,
            model_index: Some(model_index),
        })
    }
}

impl EdgeOffer {
    /// The listeners of the configuration that let SDKs in.
    pub fn from_config(listeners: &[ListenerConfig]) -> Self {
        let edge = listeners.iter().filter(|listener| is_for_sdks(listener));
        Self {
            listeners: edge.filter_map(edge_listener).collect(),
        }
    }
}

fn edge_listener(listener: &ListenerConfig) -> Option<EdgeListener> {
    let address = &listener.address.as_ref()?.value;
    let (protocol, place) = address.split_once(':')?;
    let advertised = listener.advertise.as_ref().map(|given| &given.value);
    let advertised = advertised.map_or(place, |given| strip_protocol(given, protocol));
    Some(EdgeListener {
        address: edge_address(address.clone(), protocol, place),
        advertised: edge_address(advertised.to_owned(), protocol, advertised),
    })
}

fn strip_protocol<'text>(address: &'text str, protocol: &str) -> &'text str {
    let stripped = address.strip_prefix(protocol);
    stripped
        .and_then(|rest| rest.strip_prefix(':'))
        .unwrap_or(address)
}

fn edge_address(value: String, protocol: &str, place: &str) -> Option<EdgeAddress> {
    let HostPort { host, port } = place.parse().ok()?;
    Some(EdgeAddress {
        value,
        protocol: protocol.to_owned(),
        hostname: host,
        port: port.into(),
    })
}

/// Judges the answer of a controller to a hello. Returns who it is.
///
/// # Errors
///
/// Why the router cannot work with it, as a text for people.
pub fn check_controller(answer: &Accepted) -> Result<ControllerId, String> {
    let hello =
        ControllerHello::from_headers(&answer.headers).map_err(|error| error.to_string())?;
    let needed = ControllerCapability::LegacySessionsAreJwts;
    if !hello.capabilities.has(needed) {
        return Err(format!(
            "the controller (version {}) is too old: its tokens of service sessions are not JWTs",
            hello.version.version
        ));
    }
    let id = answer.responder.as_deref().filter(|id| !id.is_empty());
    id.map(ControllerId::from)
        .ok_or_else(|| "the controller does not say its id".to_owned())
}
