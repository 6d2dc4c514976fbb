//! Links between routers, as routers report them.

use crate::protobuf::{enumeration, message};

message! {
    /// A router that accepted a link asks whether its dialer is who it says.
    ///
    /// Answered by a Result. A failure makes the dialer redial at once.
    pub struct VerifyRouter {
        pub router_id: String = 1,
        /// SHA-1 of the certificate in lower-case hex. Since 2.0.2 exactly one; compare only the first.
        pub fingerprints: Vec<String> = 2,
    }

    /// Links that the sender dialed.
    pub struct RouterLinks {
        pub links: Vec<RouterLink> = 1,
        /// These are all; others that it dialed are gone.
        pub is_full: bool = 2,
    }

    /// A link that the sender dialed.
    pub struct RouterLink {
        pub id: String = 1,
        pub destination: String = 2,
        pub protocol: String = 3,
        pub dial_address: String = 5,
        /// Counts the dials of a link with the same id. An older one does not replace a newer one.
        pub iteration: u32 = 6,
        pub connections: Option<LinkConnections> = 7,
    }

    /// The connections of a link.
    pub struct LinkConnections {
        /// Counts the changes. An older state does not replace a newer one.
        pub iteration: u32 = 1,
        pub connections: Vec<LinkConnection> = 2,
    }

    /// A connection of a link.
    pub struct LinkConnection {
        /// `link.default` or `link.ack`.
        pub kind: String = 1,
        pub local_address: String = 2,
        pub remote_address: String = 3,
    }

    /// The connections of a link changed. Without any, it is about to close.
    pub struct LinkState {
        pub link_id: String = 1,
        pub link_iteration: u32 = 2,
        pub connections: Option<LinkConnections> = 3,
    }

    /// Something ended or broke.
    pub struct Fault {
        pub subject: FaultSubject = 1,
        /// Of the circuit or link; of several circuits if they could not be forwarded, see
        /// [`circuits`](Self::circuits).
        pub id: String = 2,
        /// Of the link; 0 counts as any.
        pub iteration: u32 = 3,
    }
}

enumeration! {
    /// What a fault is about.
    pub enum FaultSubject: i32 {
        /// The initiating end of a circuit was closed.
        Ingress = 0,
        /// The terminating end of a circuit was closed.
        Egress = 1,
        /// A link is closed, or is to be closed.
        Link = 2,
        /// Payloads of circuits could not be forwarded.
        Forward = 3,
        /// The same, where the router does not know whose circuits they are: those that the controller
        /// does not know are left alone.
        ForwardUnknownOwner = 4,
        /// A link was closed because there is another one like it.
        LinkDuplicate = 5,
    }
}

impl Fault {
    /// The circuits of a fault about forwarding.
    pub fn circuits(&self) -> impl Iterator<Item = &str> {
        self.id.split_ascii_whitespace()
    }
}
