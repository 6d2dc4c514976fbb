//! Tables of configurations, config types and posture checks.

use super::managed::StoredSpec;
use super::values::{UniqueValue, reference};
use super::{ROUTER, SERVICE, SERVICE_POLICY};
use crate::key::Kind;
use portcullis_domain::config::ConfigSpec;
use portcullis_domain::posture_check::PostureCheckSpec;

impl StoredSpec for ConfigSpec {
    // Not IDENTITY: a configuration override prevents the deletion instead.
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE, ROUTER];

    fn references(&self) -> Vec<UniqueValue> {
        vec![reference(&self.config_type)]
    }
}

impl StoredSpec for PostureCheckSpec {
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE_POLICY];
}
