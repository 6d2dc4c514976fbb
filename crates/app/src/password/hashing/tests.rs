use super::*;

/// Argon2id of `correct horse` with the costs of OpenZiti (3 MiB, 1 pass, 4 lanes) and a salt of
/// 10 bytes, as argon2-cffi computes it.
fn imported() -> PasswordHash {
    PasswordHash {
        memory: 3072,
        passes: 1,
        lanes: 4,
        salt: "MDEyMzQ1Njc4OQ==".to_owned(),
        hash: "2V0TwqXU7sK4zwcrqJxc4pMgJOo32t+2bHG9FvgMaYA=".to_owned(),
    }
}

fn empty() -> PasswordHash {
    PasswordHash {
        memory: 8,
        passes: 1,
        lanes: 1,
        salt: String::new(),
        hash: String::new(),
    }
}

#[test]
fn only_the_right_password_fits() {
    let mut hasher = Hasher::default();
    let stored = hasher.hash("correct horse", [3; SALT_LENGTH]);
    assert_eq!(Cost::of_hash(&stored), CURRENT_COST);
    assert!(!needs_rehash(&stored) && needs_rehash(&imported()));
    for stored in [stored, imported()] {
        assert!(hasher.verify("correct horse", Some(&stored)));
        assert!(!hasher.verify("correct hors", Some(&stored)));
    }
    assert!(!hasher.verify("correct horse", None));
}

#[test]
fn every_check_is_as_much_work_as_any_other() {
    let mut hasher = Hasher::default();
    let today = hasher.hash("correct horse", [3; SALT_LENGTH]);
    assert_eq!(hasher.work(), CURRENT_COST.work());
    let no_base64 = PasswordHash {
        salt: "%".to_owned(),
        ..today.clone()
    };
    let too_dear = PasswordHash {
        memory: u32::MAX,
        ..today.clone()
    };
    let nearly_today = PasswordHash {
        memory: CURRENT_COST.memory - 1,
        ..today.clone()
    };
    let half = PasswordHash {
        memory: 12 * 1024,
        ..today.clone()
    };
    let cases = [
        None,
        Some(half),
        Some(today),
        Some(imported()),
        Some(empty()),
        Some(no_base64),
        Some(too_dear),
        Some(nearly_today),
    ];
    for stored in &cases {
        for password in ["correct horse", "wrong"] {
            let before = hasher.work();
            hasher.verify(password, stored.as_ref());
            let work = hasher.work() - before;
            // The cheapest possible hash, 8 KiB, is less than a thousandth.
            assert!(
                (CURRENT_COST.work() - 32..=CURRENT_COST.work()).contains(&work),
                "{stored:?}: {work}"
            );
        }
    }
}

#[test]
fn damaged_hash_fits_nothing() {
    let mut hasher = Hasher::default();
    let large = PasswordHash {
        memory: u32::MAX,
        ..empty()
    };
    let slow = PasswordHash {
        passes: u32::MAX,
        ..empty()
    };
    let wide = PasswordHash {
        lanes: MAX_COST.lanes + 1,
        ..empty()
    };
    for stored in [empty(), large, slow, wide] {
        assert!(!hasher.verify("", Some(&stored)));
    }
}

#[test]
fn short_hash_fits_nothing_even_if_it_is_right() {
    let mut hasher = Hasher::default();
    for (length, fits) in [(16, true), (15, false)] {
        let hash = hasher.derive("x", &[3; SALT_LENGTH], Cost::of_hash(&empty()), length);
        let stored = PasswordHash {
            salt: BASE64.encode([3; SALT_LENGTH]),
            hash: BASE64.encode(hash.unwrap()),
            ..empty()
        };
        assert_eq!(hasher.verify("x", Some(&stored)), fits, "{length} bytes");
    }
}
