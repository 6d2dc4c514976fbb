//! Masks of capabilities.

use portcullis_wire::capability::{Capabilities, RouterCapability};

#[test]
fn a_mask_has_no_leading_zeros() {
    for (mask, bytes) in [
        (0, &[][..]),
        (0x7e, &[0x7e]),
        (0x100, &[1, 0]),
        (0x4000_0000_0000_0076, &[0x40, 0, 0, 0, 0, 0, 0, 0x76]),
    ] {
        let capabilities = Capabilities::from_mask(mask);
        assert_eq!(capabilities.to_bytes(), bytes);
        assert_eq!(Capabilities::from_bytes(bytes), capabilities);
    }
}

#[test]
fn a_mask_of_any_length_is_read() {
    for bytes in [&[0, 0x76][..], &[0; 5000], &[1, 0, 0, 0, 0, 0, 0, 0, 0x76]] {
        let capabilities = Capabilities::from_bytes(bytes);
        let has = capabilities.has(RouterCapability::PostureChecks);
        assert_eq!(has, bytes.ends_with(&[0x76]));
        assert!(!capabilities.has(RouterCapability::RouterDataModel));
    }
}
