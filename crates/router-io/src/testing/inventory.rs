//! A router with one link.

use std::time::Duration;

use portcullis_channel::{Liveness, Role};
use portcullis_domain::clock::Timestamp;
use portcullis_router::links::{
    GroupNames, Link, LinkId, LinkKey, LinkStatus, Listener, PeerView, RouterId, TargetView,
};
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
            changes: 4,
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

    fn peers(&self) -> Vec<PeerView> {
        let wanted = |status, number: u32| TargetView {
            key: LinkKey::new(RouterId::from_wire("r2"), "tls", None, None),
            id: Some(LinkId::from_wire("l1")),
            status,
            attempts: number,
            opened: 3 - number,
            pause: Duration::from_secs(number.into()),
            listener: Listener {
                address: "tls:r2.example.test:6000".to_owned(),
                protocol: "tls".to_owned(),
                interface: None,
                groups: GroupNames::default(),
            },
            groups: GroupNames::new(["default", "far"]),
            interface: None,
        };
        let link = Link {
            id: LinkId::from_wire("l1"),
            iteration: 1,
        };
        let later = Timestamp::from_second(7).unwrap();
        let peer = |router: &str, lost_since, target| PeerView {
            router: RouterId::from_wire(router),
            version: Some("v2.1.0".to_owned()),
            lost_since,
            targets: vec![target],
        };
        vec![
            peer("r2", None, wanted(LinkStatus::Linked(link), 0)),
            peer("r3", Some(later), wanted(LinkStatus::Waiting(later), 2)),
        ]
    }
}
