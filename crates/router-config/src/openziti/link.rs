//! Section `link`.

use portcullis_yaml::{Field, Section};

use crate::network::SocketOwner;
use crate::openziti::link_entries::{self, EntryReader};
use crate::openziti::loader::{Loader, section_if_map};
use crate::openziti::{queue_memory, value};
use crate::table::{HEARTBEATS, LINK, LINK_LISTENER};
use portcullis_key_table::EffectiveConfig;

pub(super) fn load(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "link");
    let section = section.as_ref();
    let get = |name: &str| section.and_then(|section| section.get(name));
    for name in ["listeners", "dialers"] {
        if let Some(field) = get(name) {
            check_entries(loader, &field);
        }
    }
    let heartbeats = get("heartbeats").and_then(|field| field.as_section());
    loader.keys(heartbeats.as_ref(), HEARTBEATS, "link.heartbeats");
    if heartbeats.is_none() {
        // If the section is present, the default of all channels applies instead.
        loader
            .effective
            .set_default("link.heartbeats.closeUnresponsiveTimeout", "1m0s");
    }
    let queues = ["payloadSenderQueueSize", "ackSenderQueueSize"];
    loader.named(section, LINK, &queues, "link");
}

/// Checks that the value is a list of maps, each with a binding.
fn check_entries(loader: &mut Loader<'_>, field: &Field<'_>) {
    for section in loader.sections(field) {
        loader.string(&section, LINK_LISTENER, "binding");
    }
}

/// Returns the entries of a list that are maps with a binding.
fn entries<'tree>(root: &Section<'tree>, name: &str) -> Vec<Section<'tree>> {
    let items = root
        .get("link")
        .and_then(|field| field.as_section()?.get(name)?.items())
        .unwrap_or_default();
    let has_binding = |section: &Section<'tree>| {
        section
            .get("binding")
            .is_some_and(|field| field.node().as_str().is_some())
    };
    items
        .iter()
        .filter_map(Field::as_section)
        .filter(has_binding)
        .collect()
}

/// Opens listeners and dialers. If one is refused, none takes effect.
pub(super) fn start(loader: &mut Loader<'_>, root: &Section<'_>) {
    let before: EffectiveConfig = loader.effective.clone();
    let known = loader.findings.len();
    let listeners = entries(root, "listeners");
    let mut bound = Vec::new();
    for (index, section) in listeners.iter().enumerate() {
        let mut entry = EntryReader::new(loader, section, format!("link.listeners[{index}]"));
        bound.push(link_entries::listener(&mut entry));
    }
    for (index, section) in entries(root, "dialers").iter().enumerate() {
        let mut entry = EntryReader::new(loader, section, format!("link.dialers[{index}]"));
        link_entries::dialer(&mut entry);
    }
    if loader.findings.len() == known {
        for (section, address) in listeners.iter().zip(bound) {
            if let (Some(field), Some(address)) = (section.get("bind"), address)
                && queue_memory::check_workers(loader, section, value::whole_number)
            {
                loader.listen(&field, &address, SocketOwner::Link);
            }
        }
    }
    if loader.findings.len() != known {
        loader.effective = before;
    }
}
