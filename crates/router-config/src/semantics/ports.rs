//! Listeners that want the same port.

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, Section};

use crate::check::address_of;
use crate::codes;
use crate::openziti::{Owner, Socket, Sockets};
use crate::semantics::tree::{at, entries, first_text, listeners};

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let mut open = Sockets::default();
    let protocol = at(root, &["transport", "protocol"]);
    if let Some(protocol) = protocol.as_ref().and_then(|field| field.node().as_str()) {
        open.set_protocol(protocol);
    }
    for (field, socket) in sockets(root) {
        if let Some(other) = open.open(socket) {
            let (path, place) = (field.path(), field.place());
            diagnostics
                .error(codes::PORT_TAKEN, path, place, other.in_the_way())
                .help("give it another port, or remove one of the two");
        }
    }
}

fn sockets<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, Socket)> {
    let mut found = Vec::new();
    let mut add = |field: Field<'tree>, owner: Owner, kind: &'static str, place: HostPort| {
        let path = field.path().to_string();
        found.push((
            field,
            Socket {
                owner,
                kind,
                place,
                path,
            },
        ));
    };
    let mut addresses = |sections: Vec<Section<'tree>>, owner: Owner| {
        for section in sections {
            if let Some((field, text)) = first_text(&section, &["address", "bind"])
                && let Some((kind, place)) = address_of(text)
            {
                add(field, owner, kind, place);
            }
        }
    };
    addresses(entries(root, &["link", "listeners"]), Owner::Link);
    addresses(listeners(root, &["edge"]), Owner::Edge);
    addresses(
        listeners(root, &["transport", "proxy", "transport_udp", "proxy_udp"]),
        Owner::Plain,
    );
    addresses(entries(root, &["ctrl", "listeners"]), Owner::Ctrl);
    let points = entries(root, &["web"])
        .into_iter()
        .flat_map(|server| entries(&server, &["bindPoints"]));
    for point in points {
        if let Some((field, text)) = first_text(&point, &["interface"])
            && let Ok(place) = text.parse()
        {
            add(field, Owner::Web, "tls", place);
        }
    }
    if let Some(field) = at(root, &["edge", "apiProxy", "listener"])
        && let Some(place) = field.node().as_str().and_then(|text| text.parse().ok())
    {
        add(field, Owner::ApiProxy, "tcp", place);
    }
    found
}
