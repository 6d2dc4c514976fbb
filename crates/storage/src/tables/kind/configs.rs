//! Tables of configurations, config types and posture checks.

use super::managed::Kept;
use super::values::{UniqueValue, reference};
use super::{CONFIG, CONFIG_TYPE, Index, POSTURE_CHECK, ROUTER, SERVICE, SERVICE_POLICY};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec};
use portcullis_domain::ids::{ConfigId, ConfigTypeId, PostureCheckId};
use portcullis_domain::posture_check::{PostureCheck, PostureCheckSpec};

impl Kept for ConfigTypeSpec {
    type Id = ConfigTypeId;
    const KIND: Kind = CONFIG_TYPE;
    const NAME: Option<Index> = Some(Index::ConfigTypeName);

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn change(change: EntityChange<ConfigType>) -> Change {
        Change::ConfigType(change)
    }
}

impl Kept for ConfigSpec {
    type Id = ConfigId;
    const KIND: Kind = CONFIG;
    const NAME: Option<Index> = Some(Index::ConfigName);
    // Not IDENTITY: a configuration override prevents the deletion instead.
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE, ROUTER];

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn references(&self) -> Vec<UniqueValue> {
        vec![reference(&self.config_type)]
    }

    fn change(change: EntityChange<Config>) -> Change {
        Change::Config(change)
    }
}

impl Kept for PostureCheckSpec {
    type Id = PostureCheckId;
    const KIND: Kind = POSTURE_CHECK;
    const NAME: Option<Index> = Some(Index::PostureCheckName);
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE_POLICY];

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn change(change: EntityChange<PostureCheck>) -> Change {
        Change::PostureCheck(change)
    }
}
