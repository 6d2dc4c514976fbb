//! Listeners for whoever speaks no SDK: the bindings `transport`, `transport_udp`, `proxy`, `proxy_udp`.
//!
//! A proxy sends everything to one service. With the others, the first line says which service is meant
//! ([`DialLine`]), and is answered by a line ([`DialAnswer`]). Nobody is authenticated: what the service's
//! policies say of the router itself counts.

mod alert;
mod line;
mod settings;

pub use alert::{ALERT_PAUSE, ProxyAlerts};
pub use line::{DialAnswer, DialLine, DialLineError, MAX_LINE};
pub use settings::{
    Entrance, IngressError, IngressSettings, PacketDoor, StreamDoor, ingress_settings,
};
