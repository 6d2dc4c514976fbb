//! Tables of configurations, config types and posture checks.

use super::managed::StoredSpec;
use super::values::{UniqueValue, reference};
use super::{CONFIG, CONFIG_TYPE, POSTURE_CHECK, ROUTER, SERVICE, SERVICE_POLICY, UniqueIndex};
use crate::key::Kind;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::config::{Config, ConfigSpec, ConfigType, ConfigTypeSpec};
use portcullis_domain::ids::{ConfigId, ConfigTypeId, PostureCheckId};
use portcullis_domain::posture_check::{PostureCheck, PostureCheckSpec};

impl StoredSpec for ConfigTypeSpec {
    type Id = ConfigTypeId;
    const KIND: Kind = CONFIG_TYPE;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::ConfigTypeName);

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn change(change: EntityChange<ConfigType>) -> Change {
        Change::ConfigType(change)
    }
}

impl StoredSpec for ConfigSpec {
    type Id = ConfigId;
    const KIND: Kind = CONFIG;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::ConfigName);
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

impl StoredSpec for PostureCheckSpec {
    type Id = PostureCheckId;
    const KIND: Kind = POSTURE_CHECK;
    const NAME: Option<UniqueIndex> = Some(UniqueIndex::PostureCheckName);
    const UNLINKED_FROM: &'static [Kind] = &[SERVICE_POLICY];

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn change(change: EntityChange<PostureCheck>) -> Change {
        Change::PostureCheck(change)
    }
}
