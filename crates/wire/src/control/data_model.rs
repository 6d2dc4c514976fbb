//! The router data model: what routers need to judge SDKs by themselves.

mod access;
mod entity;
mod event;
mod key;
mod posture_check;
mod subscription;

pub use access::{PolicyType, RelatedEntity, ServicePolicy, ServicePolicyChange};
pub use entity::{Config, ConfigType, Identity, Router, Service, ServiceConfigs};
pub use event::{Action, Event, Subject};
pub use key::{KeyFormat, KeyUsage, PublicKey, Revocation};
pub use posture_check::{
    Domains, MacAddresses, Mfa, OperatingSystem, OperatingSystems, PostureCheck, PostureCheckKind,
    Process, Processes,
};
pub use subscription::{
    ChangeSet, Changes, CurrentIndex, DataState, DataStateDiff, DataStateValidation, State,
    Subscription, ValidateDataState,
};
