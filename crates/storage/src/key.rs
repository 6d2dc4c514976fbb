//! Layout of keys.
//!
//! | First byte | Row | Key |
//! |---|---|---|
//! | `00` | the store's own | tag |
//! | `01`..`EF` | record | kind, number, then for a dependent its kind and number |
//! | `FD` | reference | target's kind and number, referrer's kind and number |
//! | `FE` | unique value | index, form, value or its digest |
//!
//! Numbers are big-endian, so that byte order is numerical order and a root record directly
//! precedes its dependents. [`crate::tables`] uses only these types as keys.

mod range;
mod record;
mod reference;
mod unique;

pub use range::KeyRange;
pub use record::RecordKey;
pub use reference::ReferenceKey;
pub use unique::UniqueKey;

/// First byte of the store's own rows.
pub const META_TAG: u8 = 0x00;
/// Where the router data model is. Copies of a store do not have this row: what is done in them, routers
/// have not heard of.
pub const MODEL_POSITION_KEY: &[u8] = &[META_TAG, 7];
const REFERENCE_TAG: u8 = 0xFD;
const UNIQUE_TAG: u8 = 0xFE;
const LAST_KIND: u8 = 0xEF;

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

impl Kind {
    /// The kind with the byte `B`, in `01`..`EF`; checked at compile time.
    ///
    /// # Examples
    ///
    /// ```
    /// use portcullis_storage::key::Kind;
    ///
    /// const IDENTITY: Kind = Kind::new::<1>();
    /// assert_eq!(IDENTITY.byte(), 1);
    /// ```
    pub const fn new<const B: u8>() -> Self {
        const {
            assert!(B != META_TAG && B <= LAST_KIND, "not the byte of a kind");
        }
        Self(B)
    }

    /// The kind with this byte, if valid.
    pub const fn from_byte(byte: u8) -> Option<Self> {
        if byte != META_TAG && byte <= LAST_KIND {
            Some(Self(byte))
        } else {
            None
        }
    }

    pub const fn byte(self) -> u8 {
        self.0
    }
}

/// Size of an encoded kind and number.
const ID_BYTES: usize = 9;

fn encode_id(kind: Kind, number: u64) -> [u8; ID_BYTES] {
    let mut bytes = [kind.0; ID_BYTES];
    let (_, tail) = bytes.split_at_mut(1);
    tail.copy_from_slice(&number.to_be_bytes());
    bytes
}

fn decode_id(bytes: &[u8]) -> Option<(Kind, u64)> {
    let (kind, number) = bytes.split_first()?;
    let number = u64::from_be_bytes(number.try_into().ok()?);
    Some((Kind::from_byte(*kind)?, number))
}
