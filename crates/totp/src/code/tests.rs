use super::*;
use proptest::prelude::*;

fn kind(text: &str) -> &'static str {
    match SubmittedCode::parse(text) {
        Ok(SubmittedCode::Totp(code)) => {
            assert_eq!(code.as_str(), text);
            "totp"
        },
        Ok(SubmittedCode::Recovery(code)) => {
            assert_eq!(code.as_str(), text);
            "recovery"
        },
        Err(CodeFormatError) => "malformed",
    }
}

#[test]
fn form_decides_what_a_text_is() {
    for (text, expected) in [
        ("123456", "totp"),
        ("000000", "totp"),
        ("000007", "totp"),
        ("234567", "totp"),
        ("ABCDEF", "recovery"),
        ("A23456", "recovery"),
        ("23456Z", "recovery"),
        ("ZZZZZZ", "recovery"),
    ] {
        assert_eq!(kind(text), expected, "{text}");
    }
}

#[test]
fn everything_else_is_malformed() {
    let texts = [
        "",
        "1",
        "12345",
        "1234567",
        "12345678",
        "ABCDE",
        "ABCDEFG",
        " 123456",
        "123456 ",
        "123 456",
        "12 456",
        " 12345",
        "12345\n",
        "12345\0",
        "+12345",
        "-12345",
        "+123456",
        "0x1234",
        "1e5000",
        "1_0000",
        "12.456",
        "１２３４５６",
        "１２",
        "١٢٣",
        "12345٦",
        "abcdef",
        "AbCDEF",
        "ABCDE1",
        "ABCDE0",
        "ABCDE8",
        "ABCDE9",
        "ABCDE=",
        "ABC-EF",
        "ÀBCDE",
        "ABCDEé",
        "éée",
        "ééé",
        "[1234]",
        "@ABCDE",
        "`BCDEF",
        "{BCDEF",
        "/12345",
        ":12345",
    ];
    for text in texts {
        assert_eq!(kind(text), "malformed", "{text:?}");
    }
    for text in ["1", "A", "é", " "] {
        assert_eq!(kind(&text.repeat(1 << 20)), "malformed");
    }
}

#[test]
fn nothing_of_a_code_is_shown() {
    for text in ["123456", "ABC234"] {
        let shown = format!("{:?}", SubmittedCode::parse(text));
        assert!(
            !shown.contains(text) && shown.contains("[redacted]"),
            "{shown}"
        );
    }
    let shown = format!(
        "{:?} {}",
        CodeFormatError,
        SubmittedCode::parse("AB 234").unwrap_err()
    );
    assert!(!shown.contains("234"), "{shown}");
}

#[test]
fn codes_are_equal_when_all_characters_are() {
    let code = SubmittedCode::parse("123456").unwrap();
    for place in 0..LENGTH {
        let mut other = *b"123456";
        other[place] = b'9';
        let other = SubmittedCode::parse(as_str(&other)).unwrap();
        assert_ne!(code, other, "{place}");
    }
    assert_eq!(code, code.clone());
}

#[test]
fn recovery_codes_of_bits_use_thirty_of_them() {
    assert_eq!(RecoveryCode::from_bits(0).unwrap().as_str(), "AAAAAA");
    assert_eq!(RecoveryCode::from_bits(1).unwrap().as_str(), "BAAAAA");
    assert_eq!(
        RecoveryCode::from_bits(31 << 25).unwrap().as_str(),
        "AAAAA7"
    );
    assert_eq!(RecoveryCode::from_bits(3 << 30).unwrap().as_str(), "AAAAAA");
    assert_eq!(
        RecoveryCode::from_bits(u32::MAX),
        None,
        "777777 is a code of an app"
    );
}

proptest! {
    #[test]
    fn any_text_is_read_as_the_form_says(text in "(?s).{0,8}|[0-9A-Z]{6}|[0-9]{5,7}") {
        let is_six = text.len() == 6;
        let is_digits = text.chars().all(|c| c.is_ascii_digit());
        let is_base32 = text.chars().all(|c| "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".contains(c));
        let expected = match (is_six, is_digits, is_base32) {
            (true, true, _) => "totp",
            (true, false, true) => "recovery",
            _ => "malformed",
        };
        prop_assert_eq!(kind(&text), expected);
    }
}
