//! A router with one link.

use std::time::Duration;

use portcullis_channel::{Liveness, Role};
use portcullis_wire::control::link::LinkConnection;

use crate::links::{LinkCounts, LinkInventory, LinkSizes, LinkView, Traffic};

/// Knows one link, `l1` to the router `r2`, which has carried a little.
pub(crate) struct OneLink;

impl LinkInventory for OneLink {
    fn views(&self) -> Vec<LinkView> {
        vec![LinkView {
            id: "l1".to_owned(),
            iteration: 1,
            key: "default->tls:r2->default".to_owned(),
            router: "r2".to_owned(),
            protocol: "tls".to_owned(),
            dialed: Some("tls:r2.example.test:6000".to_owned()),
            connections: vec![LinkConnection {
                kind: "link.default".to_owned(),
                local_address: "127.0.0.1:1".to_owned(),
                remote_address: "127.0.0.1:2".to_owned(),
            }],
            roles: vec![Role::Default, Role::High],
            liveness: Liveness {
                latency: Some(Duration::from_millis(2)),
                ..Liveness::default()
            },
            queue_delay: Duration::from_millis(3),
            is_used: true,
            counts: LinkCounts {
                sent: Traffic {
                    messages: 3,
                    bytes: 300,
                },
                ..LinkCounts::default()
            },
            sizes: LinkSizes::new(),
        }]
    }
}
