//! What a peer is capable of, as bits of a number.

/// A set of capabilities. On the wire it is an unsigned number in big-endian order without leading
/// zero bytes; what is beyond 64 bits is ignored.
///
/// ```
/// use portcullis_wire::capability::{Capabilities, ControllerCapability};
///
/// let capabilities = Capabilities::of([ControllerCapability::GroupedConnections]);
/// assert!(capabilities.has(ControllerCapability::GroupedConnections));
/// assert_eq!(capabilities.mask(), 1 << 5);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Capabilities(u64);

/// A capability with the number of its bit.
pub trait Capability: Copy {
    fn bit(self) -> u32;
}

/// What a controller is capable of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ControllerCapability {
    CreateTerminatorV2 = 1,
    /// Routers report only the links that they dialed.
    DialedLinksOnly = 2,
    CreateCircuitV2 = 3,
    RouterDataModel = 4,
    /// Routers open further connections.
    GroupedConnections = 5,
    /// Tokens of service sessions are JWTs even in legacy sessions. Routers since 2.0 require it.
    LegacySessionsAreJwts = 6,
}

/// What a router is capable of. SDKs see it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RouterCapability {
    /// Grouped connections, and headers of the hello from 1000 on.
    MultiChannel = 1,
    ConnectV2 = 2,
    ServiceSubscriptions = 4,
    PostureChecks = 5,
    BindSuccess = 6,
    RouterDataModel = 62,
}

impl Capability for ControllerCapability {
    fn bit(self) -> u32 {
        self as u32
    }
}

impl Capability for RouterCapability {
    fn bit(self) -> u32 {
        self as u32
    }
}

impl Capabilities {
    pub const fn from_mask(mask: u64) -> Self {
        Self(mask)
    }

    pub fn of<C: Capability>(capabilities: impl IntoIterator<Item = C>) -> Self {
        let bits = capabilities.into_iter().map(|one| 1 << one.bit());
        Self(bits.fold(0, |mask, bit: u64| mask | bit))
    }

    pub const fn mask(self) -> u64 {
        self.0
    }

    pub fn has(self, capability: impl Capability) -> bool {
        self.0 & (1 << capability.bit()) != 0
    }

    /// Reads a mask of any length.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let low = bytes.iter().skip(bytes.len().saturating_sub(8));
        Self(low.fold(0, |mask, byte| mask << 8 | u64::from(*byte)))
    }

    pub fn to_bytes(self) -> Vec<u8> {
        let bytes = self.0.to_be_bytes();
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        bytes.into_iter().skip(zeros).collect()
    }
}
