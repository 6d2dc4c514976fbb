//! Who may dial or host what.

use crate::protobuf::{enumeration, message};

message! {
    /// A policy, without what it relates: that comes in [`ServicePolicyChange`].
    pub struct ServicePolicy {
        pub id: String = 1,
        pub name: String = 2,
        pub policy_type: PolicyType = 3,
    }

    /// Adds entities to a policy, or removes them from it. The policy must be known.
    pub struct ServicePolicyChange {
        pub policy_id: String = 1,
        pub entity_ids: Vec<String> = 2,
        pub entity_type: RelatedEntity = 3,
        pub adds: bool = 4,
    }
}

enumeration! {
    pub enum PolicyType: i32 {
        Invalid = 0,
        Dial = 1,
        Bind = 2,
    }
}

enumeration! {
    /// Kinds of entities that a policy relates.
    pub enum RelatedEntity: i32 {
        Invalid = 0,
        Service = 1,
        Identity = 2,
        PostureCheck = 3,
    }
}
