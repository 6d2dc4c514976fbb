//! What several tests need: instants, randomness, configurations.

use std::sync::Mutex;
use std::time::Duration;

use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_router::health::{HealthChecks, HealthOptions, LinkDetail};
use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{CheckOptions, SourceFile, load};

/// Noon of a day in 2026, to the second.
pub(crate) const NOON: Timestamp = Timestamp::constant(1_790_000_000, 0);

/// The instant so many milliseconds after noon.
pub(crate) fn at(milliseconds: i64) -> Timestamp {
    NOON + SignedDuration::from_millis(milliseconds)
}

/// Pseudo-random bytes of a seed (splitmix64).
pub(crate) struct Seeded(Mutex<u64>);

impl Seeded {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut state = self.0.lock().map_err(|_poisoned| EntropyError)?;
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// A router's configuration.
pub(crate) fn config(text: &str) -> RouterConfig {
    load(
        &SourceFile::new("router.yml", text.as_bytes()),
        &CheckOptions::new(),
    )
    .config
}

/// The checks of a section `healthChecks`, set up at noon.
pub(crate) fn checks(section: &str) -> HealthChecks {
    let config = config(&format!("healthChecks: {section}"));
    let settings = HealthOptions::from_config(&config.health_checks).expect("usable");
    HealthChecks::new(settings, NOON)
}

/// A link to show.
pub(crate) fn detail(id: &str) -> LinkDetail {
    LinkDetail {
        link_id: id.to_owned(),
        dest_router_id: "r2".to_owned(),
        latency: Some(Duration::from_micros(1500)),
        addresses: [].into(),
    }
}
