//! What an SDK says of its machine.

use crate::protobuf::{message, one_of};
use crate::secret::Token;
use crate::timestamp::Timestamp;

message! {
    /// Changes of the machine's state. Not answered.
    pub struct PostureResponses {
        pub responses: Vec<PostureResponse> = 1,
    }

    pub struct PostureResponse {
        /// `None` if it is of a kind that this version does not know.
        pub posture: Option<Posture> = one_of,
    }

    pub struct MacAddresses {
        pub addresses: Vec<String> = 1,
    }

    pub struct OperatingSystem {
        pub kind: String = 1,
        pub version: String = 2,
        pub build: String = 3,
    }

    pub struct Processes {
        pub processes: Vec<Process> = 1,
    }

    pub struct Process {
        pub path: String = 1,
        pub is_running: bool = 2,
        /// Of the file.
        pub hash: String = 3,
        /// Of the certificates that signed it.
        pub signer_fingerprints: Vec<String> = 4,
    }

    pub struct Domain {
        pub name: String = 1,
    }

    /// When the machine woke from sleep.
    pub struct Woken {
        pub time: Option<Timestamp> = 1,
    }

    /// When the machine was unlocked.
    pub struct Unlocked {
        pub time: Option<Timestamp> = 1,
    }

    pub struct SdkInfo {
        pub app_id: String = 1,
        pub app_version: String = 2,
        pub branch: String = 3,
        pub revision: String = 4,
        pub kind: String = 5,
        pub version: String = 6,
    }

    /// Proof of a second factor.
    pub struct TotpToken {
        /// JWT.
        pub token: Token = 1,
        pub code: Token = 2,
    }
}

one_of! {
    /// A part of the machine's state.
    pub enum Posture {
        MacAddresses(MacAddresses) = 1,
        OperatingSystem(OperatingSystem) = 2,
        Processes(Processes) = 3,
        Domain(Domain) = 4,
        Woken(Woken) = 5,
        Unlocked(Unlocked) = 6,
        SdkInfo(SdkInfo) = 7,
        TotpToken(TotpToken) = 8,
    }
}
