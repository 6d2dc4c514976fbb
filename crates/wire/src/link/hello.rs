//! What the dialer of a link says of itself.

use crate::content::DecodeError;
use crate::headers::Received;
use bytes::Bytes;
use portcullis_channel::hello::Hello;
use portcullis_channel::{HeaderKey, Headers};

// In other messages the channel uses these numbers for other purposes.
const SPLIT_PART: HeaderKey = HeaderKey(1);
const ROUTER_ID: HeaderKey = HeaderKey(2);
const VERSION: HeaderKey = HeaderKey(3);
const BINDING: HeaderKey = HeaderKey(4);
const ITERATION: HeaderKey = HeaderKey(5);
const DESTINATION: HeaderKey = HeaderKey(6);
const LINK_ID: HeaderKey = HeaderKey(100);

/// The hello of a link, beside what belongs to the channel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkHello {
    pub link_id: String,
    /// Of the router that dials. The certificate has to confirm it.
    pub router_id: String,
    /// Such as `v2.1.0`. Routers of 2.1 put the version of the router here that they dial.
    pub version: String,
    /// Of the dialer; part of the key by which duplicates of a link are known.
    pub binding: String,
    /// 1 for the first dial of this link, one more for each further one.
    pub iteration: u32,
    /// The router that is meant to be reached; `None` from older routers.
    pub destination: Option<String>,
    /// Only from routers before 1.6.6, whose links consist of two separate connections.
    pub split_part: Option<SplitLinkPart>,
}

/// Which connection of a split link this is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitLinkPart {
    Payloads,
    Acknowledgements,
}

impl LinkHello {
    const NAME: &'static str = "LinkHello";

    /// Reads the hello of a link. Older routers have the id of the link in its body only.
    pub fn from_hello(hello: &Hello) -> Result<Self, DecodeError> {
        let parts = Received {
            message: Self::NAME,
            headers: &hello.headers,
            body: &Bytes::new(),
        };
        let link_id: Option<String> = parts.header("link_id", LINK_ID)?;
        let split_part: Option<u8> = parts.header("split_part", SPLIT_PART)?;
        Ok(Self {
            link_id: link_id.unwrap_or_else(|| hello.id.clone()),
            router_id: parts.header("router_id", ROUTER_ID)?,
            version: parts.header_or_default(VERSION),
            binding: parts.header_or_default(BINDING),
            iteration: parts.header_or_default(ITERATION),
            destination: parts.header("destination", DESTINATION)?,
            split_part: match split_part {
                Some(1) => Some(SplitLinkPart::Payloads),
                Some(2) => Some(SplitLinkPart::Acknowledgements),
                _ => None,
            },
        })
    }

    /// The headers of a hello, whose id is that of the link.
    pub fn to_headers(&self) -> Headers {
        let mut headers = Headers::builder()
            .string(ROUTER_ID, &self.router_id)
            .string(VERSION, &self.version)
            .string(BINDING, &self.binding)
            .u32(ITERATION, self.iteration)
            .string(LINK_ID, &self.link_id);
        if let Some(destination) = &self.destination {
            headers = headers.string(DESTINATION, destination);
        }
        match self.split_part {
            Some(SplitLinkPart::Payloads) => headers.u8(SPLIT_PART, 1),
            Some(SplitLinkPart::Acknowledgements) => headers.u8(SPLIT_PART, 2),
            None => headers,
        }
        .build()
    }
}
