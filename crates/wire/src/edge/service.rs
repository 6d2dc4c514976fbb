//! The services of an identity, and whether its posture lets it use them, as they change.

use crate::protobuf::{enumeration, message};
use crate::secret::Secret;
use crate::timestamp::Timestamp;

message! {
    /// Answered by [`ServiceChangeSet`] and [`PostureStateChange`], not as replies.
    pub struct ServiceSubscription {
        /// Of what the SDK has; −1 for nothing.
        pub index: i64 = 1,
    }

    /// Changes of services and policies.
    pub struct ServiceChangeSet {
        /// Indexes rise within a channel.
        pub index: i64 = 1,
        /// Of the changes before; −1 if these are all.
        pub previous_index: i64 = 2,
        pub services: Vec<ChangedService> = 3,
        pub policies: Vec<ChangedPolicy> = 4,
        pub posture_checks: Vec<ChangedPostureCheck> = 5,
    }

    /// A service; only its id if it was removed.
    pub struct ChangedService {
        pub operation: Operation = 1,
        pub id: String = 2,
        pub name: String = 3,
        pub requires_encryption: bool = 4,
        /// Ids.
        pub configs: Vec<String> = 5,
        pub policy_ids: Vec<String> = 6,
        pub config_data: Vec<ConfigData> = 7,
    }

    pub struct ConfigData {
        pub type_id: String = 1,
        pub type_name: String = 2,
        pub data_json: Secret<String> = 3,
    }

    /// A policy; only its id if it was removed.
    pub struct ChangedPolicy {
        pub operation: Operation = 1,
        pub id: String = 2,
        pub kind: PolicyKind = 3,
        pub posture_check_ids: Vec<String> = 4,
    }

    /// A posture check; only its id if it was removed.
    pub struct ChangedPostureCheck {
        pub operation: Operation = 1,
        pub id: String = 2,
        /// Such as `OS`. Checks of one process are `PROCESS_MULTI` too.
        pub kind: String = 3,
        pub prompt_grace_seconds: i32 = 4,
        pub prompts_on_unlock: bool = 5,
        pub prompts_on_wake: bool = 6,
        /// `AllOf` or `AnyOf`.
        pub semantic: String = 7,
        pub processes: Vec<RequiredProcess> = 8,
        /// −1 for never.
        pub timeout_seconds: i64 = 9,
    }

    pub struct RequiredProcess {
        pub operating_system: String = 1,
        pub path: String = 2,
    }

    /// Which posture checks and policies the SDK passes.
    pub struct PostureStateChange {
        /// From 1, within a channel.
        pub sequence: u64 = 1,
        /// Of the services and policies that it is about.
        pub structural_index: u64 = 2,
        pub time: Option<Timestamp> = 4,
        pub checks: Vec<CheckState> = 5,
        pub policies: Vec<PolicyState> = 6,
    }

    pub struct CheckState {
        pub id: String = 1,
        pub is_passing: bool = 2,
        pub timeout_at: Option<Timestamp> = 3,
        pub timeout_remaining_seconds: i32 = 4,
    }

    pub struct PolicyState {
        pub id: String = 1,
        pub is_passing: bool = 2,
    }
}

enumeration! {
    /// What happened to an entity.
    pub enum Operation: i32 {
        Added = 0,
        Updated = 1,
        Removed = 2,
    }
}

enumeration! {
    /// What a policy permits.
    pub enum PolicyKind: i32 {
        Dial = 0,
        Bind = 1,
    }
}
