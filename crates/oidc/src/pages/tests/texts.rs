//! Texts of users within pages.

use super::*;

const HOSTILE: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "' autofocus onfocus='alert(1)",
    "</title></style></bdi><form action=https://evil.example>",
    "&lt;script&gt; &#60;script&#62;",
];

#[test]
fn texts_of_users_never_become_markup() {
    let tags = |page: &Page| -> Vec<String> {
        let tags = page.html.split('<').skip(1);
        tags.map(|tag| tag.split([' ', '>']).next().unwrap().to_owned())
            .collect()
    };
    let harmless: Vec<_> = all_with("alice").iter().map(tags).collect();
    for text in HOSTILE {
        let pages = all_with(text);
        assert_eq!(
            pages.iter().map(tags).collect::<Vec<_>>(),
            harmless,
            "{text}"
        );
        // A single quote ends no value: all of them are in double quotes.
        let is_raw = |page: &Page| page.html.contains(text) && text.contains(['<', '>', '"', '&']);
        assert!(!pages.iter().any(is_raw), "{text}");
    }
}

#[test]
fn user_name_stays_in_its_field() {
    let request = testing::request();
    let login = LoginPages::new(ID, &request);
    let page = |username| {
        let refusal = Refusal::Wrong;
        login
            .password(Some(FailedAttempt { username, refusal }))
            .html
    };
    assert!(page("al\"ice & <bob>").contains(r#"value="al&quot;ice &amp; &lt;bob&gt;""#));
    assert!(page("a\0l\u{1b}[2Ji\u{85}ce\n").contains(r#"value="al[2Jice""#));
    assert!(page("זהבה").contains(r#"value="זהבה""#));
}

#[test]
fn what_cannot_be_seen_is_shown_as_an_escape() {
    let request = testing::request();
    let enrollment = Enrollment::of("bob\u{202e}ecila\u{7}<b>");
    let page = LoginPages::new(ID, &request).totp_enrollment(&enrollment.view(), None);
    let shown = r"<bdi>bob\u{202e}ecila\u{7}&lt;b&gt;</bdi>";
    assert!(page.html.contains(shown), "{}", page.html);
}
