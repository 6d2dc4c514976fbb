//! Port conflicts between listeners.

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::binding::Binding;
use crate::codes;
use crate::network::{Socket, SocketOwner, Sockets, parse_address};
use crate::semantics::query::{entries, field_at, first_string, listeners};

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let mut open = Sockets::default();
    let protocol = field_at(root, &["transport", "protocol"]);
    if let Some(protocol) = protocol.as_ref().and_then(|field| field.node().as_str()) {
        open.set_alpn_protocol(protocol);
    }
    for (field, socket) in sockets(root) {
        if let Some(other) = open.open(socket) {
            let (path, place) = (field.path(), field.location());
            diagnostics
                .error(codes::PORT_TAKEN, path, place, other.conflict_message())
                .help("give it another port, or remove one of the two");
        }
    }
}

fn sockets<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, Socket)> {
    let mut found = Vec::new();
    let mut add = |field: Field<'tree>, owner: SocketOwner, kind: &'static str, place: HostPort| {
        let path = field.path().to_string();
        found.push((
            field,
            Socket {
                owner,
                protocol: kind,
                host_port: place,
                path,
            },
        ));
    };
    let mut addresses = |sections: Vec<Section<'tree>>, owner: SocketOwner| {
        for section in sections {
            if let Some((field, text)) = first_string(&section, &["address", "bind"])
                && let Some((kind, place)) = parse_address(text)
            {
                add(field, owner, kind, place);
            }
        }
    };
    addresses(entries(root, &["link", "listeners"]), SocketOwner::Link);
    addresses(listeners(root, &[Binding::Edge]), SocketOwner::Edge);
    addresses(
        listeners(
            root,
            &[
                Binding::Transport,
                Binding::Proxy,
                Binding::TransportUdp,
                Binding::ProxyUdp,
            ],
        ),
        SocketOwner::Plain,
    );
    addresses(entries(root, &["ctrl", "listeners"]), SocketOwner::Ctrl);
    let points = entries(root, &["web"])
        .into_iter()
        .flat_map(|server| entries(&server, &["bindPoints"]));
    for point in points {
        if let Some((field, text)) = first_string(&point, &["interface"])
            && let Ok(place) = text.parse()
        {
            add(field, SocketOwner::Web, "tls", place);
        }
    }
    if let Some(field) = field_at(root, &["edge", "apiProxy", "listener"])
        && let Some(place) = field.node().as_str().and_then(|text| text.parse().ok())
    {
        add(field, SocketOwner::ApiProxy, "tcp", place);
    }
    found
}
