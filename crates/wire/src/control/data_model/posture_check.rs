//! Conditions on the machines of SDKs.

use crate::protobuf::{message, one_of};

message! {
    pub struct PostureCheck {
        pub id: String = 1,
        pub name: String = 2,
        /// Such as `OS`.
        pub type_id: String = 4,
        pub kind: Option<PostureCheckKind> = one_of,
    }

    pub struct MacAddresses {
        pub addresses: Vec<String> = 1,
    }

    pub struct Mfa {
        /// −1 for never.
        pub timeout_seconds: i64 = 1,
        pub prompts_on_wake: bool = 2,
        pub prompts_on_unlock: bool = 3,
        pub ignores_legacy_endpoints: bool = 4,
    }

    pub struct OperatingSystems {
        pub systems: Vec<OperatingSystem> = 1,
    }

    pub struct OperatingSystem {
        pub kind: String = 1,
        pub versions: Vec<String> = 2,
    }

    pub struct Process {
        pub operating_system: String = 1,
        pub path: String = 2,
        /// Of the file.
        pub hashes: Vec<String> = 3,
        /// Of the certificate that signed it.
        pub fingerprints: Vec<String> = 4,
    }

    pub struct Processes {
        /// `AllOf` or `AnyOf`.
        pub semantic: String = 1,
        pub processes: Vec<Process> = 2,
    }

    pub struct Domains {
        pub domains: Vec<String> = 1,
    }
}

one_of! {
    pub enum PostureCheckKind {
        Mac(MacAddresses) = 7,
        Mfa(Mfa) = 8,
        OperatingSystem(OperatingSystems) = 9,
        Process(Process) = 10,
        Processes(Processes) = 11,
        Domains(Domains) = 12,
    }
}
