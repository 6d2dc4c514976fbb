//! What one tunneler of a machine calls its own in the kernel.

use std::fmt;
use std::str::FromStr;

/// The name of a tunneler among those of a machine. What it sets up in the kernel is found by it, also after the
/// process that has set it up was killed.
///
/// ```
/// use portcullis_tproxy::Instance;
///
/// let instance: Instance = "router_1".parse()?;
/// assert_eq!(instance.table(), "portcullis_router_1");
/// # Ok::<(), portcullis_tproxy::InstanceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    name: String,
    base: u32,
}

/// The text names no instance.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to {MAX_LENGTH} letters, digits or `_`, not {0:?}")]
pub struct InstanceError(String);

const MAX_LENGTH: usize = 64;

/// The upper half of marks and numbers of routing tables, far from those that people choose.
const PREFIX: u32 = 0x5043_0000;

impl Instance {
    /// The table of nftables, of the family `inet`.
    pub fn table(&self) -> String {
        format!("portcullis_{}", self.name)
    }

    /// The mark of packets that are intercepted.
    pub const fn intercepted_mark(&self) -> u32 {
        self.base + 1
    }

    /// The mark of what the tunneler itself sends, which is never intercepted.
    pub const fn own_mark(&self) -> u32 {
        self.base + 2
    }

    /// The mark of what the tunneler sends from addresses that are not this machine's. It is not intercepted, either,
    /// and the answers to it come to this machine.
    pub(crate) const fn foreign_source_mark(&self) -> u32 {
        foreign_source_mark(self.own_mark())
    }

    /// The routing table that delivers what is intercepted to this machine.
    pub(crate) const fn delivery_table(&self) -> u32 {
        self.base + 1
    }

    /// The routing table for networks that are intercepted and that no other table leads to.
    pub(crate) const fn fallback_table(&self) -> u32 {
        self.base + 2
    }

    /// The routing table of [local networks](crate::LocalNetworks).
    pub(crate) const fn local_table(&self) -> u32 {
        self.base + 3
    }
}

/// The mark of sockets with foreign addresses, out of that of all other sockets of the tunneler.
pub(crate) const fn foreign_source_mark(own_mark: u32) -> u32 {
    own_mark | 1
}

impl FromStr for Instance {
    type Err = InstanceError;

    fn from_str(name: &str) -> Result<Self, InstanceError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || name.len() > MAX_LENGTH || !name.bytes().all(is_plain) {
            return Err(InstanceError(name.to_owned()));
        }
        // FNV-1a: the same in every version of the program.
        let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        });
        let folded = (hash >> 16) ^ hash;
        Ok(Self {
            name: name.to_owned(),
            // The lowest bits tell the numbers of one instance from each other.
            base: PREFIX | folded & 0xfffc,
        })
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_from_the_name() {
        let one: Instance = "one".parse().expect("a name");
        let two: Instance = "two".parse().expect("a name");
        assert_eq!(one, "one".parse().expect("a name"));
        assert_ne!(one.intercepted_mark(), two.intercepted_mark());
        assert_ne!(one.intercepted_mark(), one.own_mark());
        // `ip rule` asks for both at once.
        assert_eq!(one.foreign_source_mark() & !1, one.own_mark());
        assert_ne!(one.foreign_source_mark(), one.own_mark());
        assert_eq!(one.local_table() >> 16, PREFIX >> 16);
    }

    #[test]
    fn other_texts_are_no_names() {
        for text in ["", "a b", "a;b", "é", &"a".repeat(65)] {
            assert!(text.parse::<Instance>().is_err(), "{text}");
        }
    }
}
