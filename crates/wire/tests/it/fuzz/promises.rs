//! What holds for every message.

use portcullis_channel::hello::{Grouping, Hello};
use portcullis_channel::{Headers, Message};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::hello::{ControllerHello, RouterHello as ControlHello};
use portcullis_wire::edge::{EdgeMessage, RouterHello, SdkHello};
use portcullis_wire::link::{LinkHello, LinkMessage};
use portcullis_wire::management::ManagementMessage;

/// Reads a message by every protocol. Returns what it leads to, or which promise it breaks.
pub(super) fn check(message: &Message) -> Result<String, String> {
    let read = [
        control(message)?,
        edge(message)?,
        link(message)?,
        management(message)?,
    ];
    Ok(format!("{read:?} {}", hellos(&message.headers)?))
}

/// A protocol: what is decoded is encoded, and comes back from that. Encoding again changes nothing.
macro_rules! protocol {
    ($name:ident: $messages:ident) => {
        fn $name(message: &Message) -> Result<String, String> {
            let decoded = match $messages::decode(message) {
                Ok(decoded) => decoded,
                // Without the input in them, errors are places.
                Err(error) => return Ok(error.to_string()),
            };
            let shown = format!("{decoded:?}");
            let written = decoded.encode().map_err(|error| error.to_string())?;
            if written.content_type != message.content_type {
                return Err("the content type is changed".to_owned());
            }
            let again = $messages::decode(&written).map_err(|error| error.to_string())?;
            // A number that is none is not equal to itself.
            if again != decoded && !shown.contains("NaN") {
                return Err(format!("{again:?} comes back of {shown}"));
            }
            if again.encode().as_ref() != Ok(&written) {
                return Err("it is written otherwise the second time".to_owned());
            }
            let is_known = !matches!(decoded, $messages::Unknown(_));
            Ok(shown
                .chars()
                .filter(|char| is_known && "{[(,".contains(*char))
                .collect())
        }
    };
}

protocol!(control: ControlMessage);
protocol!(edge: EdgeMessage);
protocol!(link: LinkMessage);
protocol!(management: ManagementMessage);

/// Reads headers as those of every hello.
fn hellos(headers: &Headers) -> Result<String, String> {
    let mut place = String::new();
    if let Ok(router) = ControlHello::from_headers(headers) {
        place.push('r');
        // Older routers use other numbers, and are written as newer ones.
        let again = ControlHello::from_headers(&router.to_headers());
        let is_same = again.as_ref() == Ok(&router);
        if !is_same && router.unreadable.is_empty() && router.capabilities.mask() & 2 != 0 {
            return Err("the hello of a router does not come back".to_owned());
        }
    }
    if let Ok(controller) = ControllerHello::from_headers(headers) {
        place.push('c');
        if ControllerHello::from_headers(&controller.to_headers()) != Ok(controller) {
            return Err("the hello of a controller does not come back".to_owned());
        }
    }
    let sdk = SdkHello::from_headers(headers);
    if SdkHello::from_headers(&sdk.to_headers()) != sdk {
        return Err("the hello of an SDK does not come back".to_owned());
    }
    let router = RouterHello::from_headers(headers);
    if RouterHello::from_headers(&router.to_headers()) != router {
        return Err("the answer of a router does not come back".to_owned());
    }
    let hello = |headers| Hello::new("l".to_owned(), None, Grouping::Ungrouped, headers);
    if let Ok(link) = LinkHello::from_hello(&hello(headers.clone())) {
        place.push('l');
        if LinkHello::from_hello(&hello(link.to_headers())) != Ok(link) {
            return Err("the hello of a link does not come back".to_owned());
        }
    }
    Ok(place)
}
