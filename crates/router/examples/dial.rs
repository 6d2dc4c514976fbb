//! Shows when a router that does not answer would be dialed by the settings of a file.
//!
//! `cargo run -p portcullis-router --example dial -- router.yml`

use std::collections::hash_map::RandomState;
use std::error::Error;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, Write as _};
use std::sync::Arc;
use std::{env, fs};

use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_router::links::{
    Action, Announcement, DialFailure, GroupNames, Links, Listener, RouterId, dialers,
};
use portcullis_router_config::{CheckOptions, SourceFile, load};

/// Random enough to spread dials; nothing here is a secret.
struct Spread;

impl Entropy for Spread {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        for chunk in bytes.chunks_mut(8) {
            let drawn = RandomState::new().build_hasher().finish().to_le_bytes();
            for (byte, drawn) in chunk.iter_mut().zip(drawn) {
                *byte = drawn;
            }
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = env::args().nth(1).ok_or("name a router's file")?;
    let bytes = fs::read(&name)?;
    let text = SourceFile::new(&name, &bytes);
    let config = load(
        &text,
        &CheckOptions::new().environment(&|name| env::var(name).ok()),
    )
    .config;

    let start = Timestamp::UNIX_EPOCH;
    let dialers = dialers(&config.link)?;
    // The other router is in all groups that there are, so that every dialer shows what it does.
    let groups: Vec<String> = dialers
        .iter()
        .flat_map(|dialer| dialer.groups.iter().map(str::to_owned))
        .collect();
    let peer = Announcement {
        router: RouterId::from_wire("other"),
        version: Some("v2.1.0".to_owned()),
        listeners: vec![Listener {
            address: "tls:other.example.test:10080".to_owned(),
            protocol: "tls".to_owned(),
            interface: None,
            groups: GroupNames::new(groups),
        }],
    };
    let router = peer.router.clone();
    let mut links = Links::new(dialers, Arc::new(Spread), start);
    links.router_connected(peer, start);

    let mut out = io::stdout().lock();
    let (half, end) = (
        start + SignedDuration::from_mins(30),
        start + SignedDuration::from_hours(2),
    );
    writeln!(out, "the other router is connected to a controller")?;
    let mut connected = true;
    while let Some(now) = links.deadline().filter(|next| *next < end) {
        if connected && now >= half {
            connected = false;
            links.router_disconnected(&router, half);
            writeln!(out, "it is not connected any more")?;
        }
        for action in links.poll(now) {
            if let Action::Dial(dial) = action {
                let passed = SignedDuration::from_secs(now.duration_since(start).as_secs());
                writeln!(out, "after {passed:#}: {}", dial.ticket.key())?;
                links.dial_failed(dial.ticket, DialFailure::Failed, now);
            }
        }
    }
    Ok(())
}
