//! What routers and controllers say of themselves when they connect.

use super::address::Endpoint;
use super::peer::{Listener, Listeners};
use crate::capability::{Capabilities, RouterCapability};
use crate::content::DecodeError;
use crate::protobuf::{self, Fields, message};
use portcullis_channel::headers::{HeadersBuilder, key};
use portcullis_channel::{BuildVersion, HeaderKey, Headers};

const NAME: &str = "RouterHello";

/// What routers say since 2.0.
const LISTENERS: HeaderKey = HeaderKey(1000);
const CAPABILITIES: HeaderKey = HeaderKey(1002);
const CONTROL_LISTENERS: HeaderKey = HeaderKey(1003);
/// The same before 2.0.
const OLD_LISTENERS: HeaderKey = HeaderKey(10);
const OLD_CAPABILITIES: HeaderKey = HeaderKey(12);

/// The headers of a router's hello, beside those of the channel. The id of the router is the body of
/// the hello, which the certificate has to confirm.
#[derive(Debug, Clone, PartialEq)]
pub struct RouterHello {
    pub version: BuildVersion,
    pub capabilities: Capabilities,
    /// Listeners for links of other routers.
    pub listeners: Vec<Listener>,
    /// Listeners for controllers that dial the router.
    pub control_listeners: Vec<Endpoint>,
    /// Why listeners may be missing, for logs: a router is not refused for those that cannot be read.
    pub unreadable: Vec<DecodeError>,
}

/// The headers of the answer to it, beside those of the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerHello {
    pub version: BuildVersion,
    pub capabilities: Capabilities,
}

message! {
    /// The control listeners of a router, in a header of its hello.
    pub struct ControlListeners {
        pub listeners: Vec<Endpoint> = 1,
    }
}

impl RouterHello {
    /// Reads the headers of a hello.
    ///
    /// Routers before 2.0 use other numbers; the capability [`MultiChannel`] tells which.
    ///
    /// [`MultiChannel`]: RouterCapability::MultiChannel
    pub fn from_headers(headers: &Headers) -> Result<Self, DecodeError> {
        let capabilities = capabilities(headers);
        let is_new = capabilities.has(RouterCapability::MultiChannel);
        let mut unreadable = Vec::new();
        let key = if is_new { LISTENERS } else { OLD_LISTENERS };
        let listeners: Listeners = decode_header(headers, key, &mut unreadable);
        let control_listeners: ControlListeners =
            decode_header(headers, CONTROL_LISTENERS, &mut unreadable);
        Ok(Self {
            version: version(NAME, headers)?,
            capabilities,
            listeners: listeners.listeners,
            control_listeners: control_listeners.listeners,
            unreadable,
        })
    }

    /// The headers of a hello, as routers since 2.0 send them.
    pub fn to_headers(&self) -> Headers {
        let mut headers = common_headers(&self.version, self.capabilities);
        if !self.listeners.is_empty() {
            let listeners = Listeners {
                listeners: self.listeners.clone(),
            };
            headers = headers.bytes(LISTENERS, &protobuf::encode(&listeners));
        }
        if !self.control_listeners.is_empty() {
            let listeners = ControlListeners {
                listeners: self.control_listeners.clone(),
            };
            headers = headers.bytes(CONTROL_LISTENERS, &protobuf::encode(&listeners));
        }
        headers.build()
    }
}

impl ControllerHello {
    pub fn from_headers(headers: &Headers) -> Result<Self, DecodeError> {
        Ok(Self {
            version: version("ControllerHello", headers)?,
            capabilities: capabilities(headers),
        })
    }

    /// The headers of a positive answer, for routers of all versions.
    pub fn to_headers(&self) -> Headers {
        common_headers(&self.version, self.capabilities)
            .bytes(OLD_CAPABILITIES, &self.capabilities.to_bytes())
            .build()
    }
}

fn common_headers(version: &BuildVersion, capabilities: Capabilities) -> HeadersBuilder {
    Headers::builder()
        .string(key::VERSION, &version.to_string())
        .bytes(CAPABILITIES, &capabilities.to_bytes())
}

fn version(message: &'static str, headers: &Headers) -> Result<BuildVersion, DecodeError> {
    let text = headers.string(key::VERSION);
    text.and_then(|text| text.parse().ok())
        .ok_or(DecodeError::Header {
            message,
            field: "version",
            key: key::VERSION,
        })
}

fn capabilities(headers: &Headers) -> Capabilities {
    let mask = headers
        .get(CAPABILITIES)
        .or_else(|| headers.get(OLD_CAPABILITIES));
    mask.map(Capabilities::from_bytes).unwrap_or_default()
}

fn decode_header<M: Fields>(
    headers: &Headers,
    key: HeaderKey,
    unreadable: &mut Vec<DecodeError>,
) -> M {
    let value = headers.bytes(key).unwrap_or_default();
    protobuf::decode(NAME, &value).unwrap_or_else(|error| {
        unreadable.push(error);
        M::default()
    })
}
