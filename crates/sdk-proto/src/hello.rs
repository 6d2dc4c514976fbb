//! How an SDK introduces itself, and what the router's answer means.

use portcullis_channel::hello::{Accepted, Grouping, Hello};
use portcullis_channel::{BuildVersion, ChannelKind, Moment, Role};
use portcullis_wire::Token;
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::edge::{RouterHello, SdkHello};

/// What every JWT begins with.
const JWT: &str = "ey";

/// The session in which an SDK talks to routers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiSession {
    /// An access token of OpenID Connect (a JWT), or the UUID of a legacy session.
    pub token: Token,
    /// When the token expires; `None` if it does not, as those of legacy sessions.
    pub expires_at: Option<Moment>,
}

/// What a router's answer to the hello says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterTerms {
    /// `None` if it is missing: the certificate has it, too.
    pub router_id: Option<String>,
    pub version: Option<BuildVersion>,
    pub capabilities: Capabilities,
}

impl ApiSession {
    /// Whether the session is one of OpenID Connect: in legacy ones, services can only be dialed by
    /// sessions of their own.
    pub fn is_oidc(&self) -> bool {
        self.token.expose().starts_with(JWT)
    }

    /// The hello of a connection to a router. `id` is for its logs; role and grouping are those of the
    /// [`Dial`](portcullis_channel::group::Dial), if a group of connections is dialed.
    ///
    /// Each connection of a group shows the token. A router that refuses the session closes the connection,
    /// some after 5 s and after a positive answer.
    pub fn hello(&self, id: String, role: Role, grouping: Grouping) -> Hello {
        let headers = SdkHello {
            api_session_token: Some(self.token.clone()),
        };
        let kind = match grouping {
            Grouping::Ungrouped => None,
            Grouping::Grouped(_) => ChannelKind::Edge.underlay_type(role),
        };
        Hello::new(id, kind.map(str::to_owned), grouping, headers.to_headers())
    }
}

impl RouterTerms {
    pub fn from_answer(answer: &Accepted) -> Self {
        let RouterHello {
            version,
            capabilities,
        } = RouterHello::from_headers(&answer.headers);
        Self {
            router_id: answer.responder.clone(),
            version,
            capabilities,
        }
    }

    /// Whether services can be dialed by their ids and names.
    pub fn knows_services(&self) -> bool {
        self.capabilities.has(RouterCapability::ConnectV2)
    }

    /// Whether circuits can end in the SDK. Routers do not say so; those that can group connections can.
    pub fn leaves_circuits_to_sdks(&self) -> bool {
        self.knows_services() || self.capabilities.has(RouterCapability::MultiChannel)
    }

    /// Whether the router says when the controller has the terminator of a bind.
    pub fn confirms_binds(&self) -> bool {
        self.capabilities.has(RouterCapability::BindSuccess)
    }

    /// Whether the router takes what is told of the machine's posture.
    pub fn takes_posture(&self) -> bool {
        self.capabilities.has(RouterCapability::PostureChecks)
    }

    /// Whether the router tells of services as they change.
    pub fn tells_services(&self) -> bool {
        self.capabilities
            .has(RouterCapability::ServiceSubscriptions)
    }
}
