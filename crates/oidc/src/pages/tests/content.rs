//! What pages say and ask for.

use super::*;

/// The content of a page, an element a line.
fn content(page: &Page) -> String {
    let content = page.html.split_once("<main>").unwrap().1;
    let content = content.split_once("</main>").unwrap().0;
    content.replace("><", ">\n<")
}

#[test]
fn password_page_keeps_the_user_name_and_says_what_was_wrong() {
    let request = testing::request();
    let failed = FailedAttempt {
        username: "alice",
        refusal: Refusal::Throttled { seconds: 42 },
    };
    let page = LoginPages::new(ID, &request).password(Some(failed));
    insta::assert_snapshot!(content(&page), @r#"
    <h1>Sign in</h1>
    <p class="purpose">A native application on this computer, at <strong>
    <bdi>localhost:8080</bdi>
    </strong>, asks you to sign in. If you did not begin this, close the page.</p>
    <p class="error" id="error" role="alert">Too many failed attempts. Try again in 42 seconds.</p>
    <form method="post" action="/oidc/login/password">
    <input type="hidden" name="id" value="2f8dbb40-5c2e-4f43-9a3c-5a35bd8f6f3e">
    <label for="username">User name</label>
    <input id="username" name="username" type="text" value="alice" required autocomplete="username" autocapitalize="none" spellcheck="false" aria-describedby="error">
    <label for="password">Password</label>
    <input id="password" name="password" type="password" required autocomplete="current-password" aria-describedby="error" autofocus>
    <button>Sign in</button>
    </form>
    "#);
}

#[test]
fn totp_page_takes_either_kind_of_code() {
    let page = LoginPages::new(ID, &request_to("https://app.example.com/callback")).totp(None);
    insta::assert_snapshot!(content(&page), @r#"
    <h1>Enter your code</h1>
    <p class="purpose">A native application of the website <strong>
    <bdi>app.example.com</bdi>
    </strong> asks you to sign in. If you did not begin this, close the page.</p>
    <form method="post" action="/oidc/login/totp">
    <input type="hidden" name="id" value="2f8dbb40-5c2e-4f43-9a3c-5a35bd8f6f3e">
    <label for="code">Code of your authenticator app</label>
    <input class="code" id="code" name="code" type="text" required maxlength="13" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" autofocus>
    <button>Continue</button>
    </form>
    <details>
    <summary>Use a recovery code</summary>
    <form method="post" action="/oidc/login/totp">
    <input type="hidden" name="id" value="2f8dbb40-5c2e-4f43-9a3c-5a35bd8f6f3e">
    <label for="recovery-code">Recovery code</label>
    <input id="recovery-code" name="code" type="text" required maxlength="13" autocomplete="off" autocapitalize="characters" spellcheck="false" aria-describedby="recovery-hint">
    <p class="hint" id="recovery-hint">Six capital letters and digits. Each code works once.</p>
    <button>Use recovery code</button>
    </form>
    </details>
    "#);
}

#[test]
fn enrollment_page_shows_the_secret_in_each_way_and_the_recovery_codes() {
    let request = request_to("openziti://auth/callback");
    let enrollment = Enrollment::of("alice");
    let page = LoginPages::new(ID, &request).totp_enrollment(&enrollment.view(), None);
    insta::assert_snapshot!(content(&page), @r#"
    <h1>Set up a second factor</h1>
    <section class="screen-only">
    <h2>1. Scan this code</h2>
    <p>Open your authenticator app, add an account and scan this code:</p>
    <img src="data:image/png;base64,UE5H" width="256" height="256" alt="QR code with the secret that is written below">
    <p>If you cannot scan it, enter this secret by hand: <code class="secret">MZXW 6YTB OI5D GMRT</code>
    </p>
    <p>
    <a href="otpauth://totp/alice?issuer=openziti.io&amp;secret=MZXW6YTBOI5DGMRT">Open the authenticator app on this device</a>
    </p>
    </section>
    <section>
    <h2 class="screen-only">2. Save your recovery codes</h2>
    <p class="screen-only">Each of them replaces a code of the app once, for instance when you have lost your phone. Print this page or write them down now: they are not shown again.</p>
    <p>Recovery codes of <strong>
    <bdi>alice</bdi>
    </strong> at <bdi>openziti.io</bdi>:</p>
    <ul class="codes">
    <li>
    <code>K7QX2M</code>
    </li>
    <li>
    <code>AAAA22</code>
    </li>
    </ul>
    </section>
    <section class="screen-only">
    <h2>3. Enter the first code</h2>
    <form method="post" action="/oidc/login/totp/enroll/verify">
    <input type="hidden" name="id" value="2f8dbb40-5c2e-4f43-9a3c-5a35bd8f6f3e">
    <label for="code">Code that the app shows</label>
    <input class="code" id="code" name="code" type="text" required maxlength="13" inputmode="numeric" autocomplete="one-time-code" spellcheck="false">
    <button>Finish</button>
    </form>
    <form method="post" action="/oidc/login/totp/enroll">
    <input type="hidden" name="id" value="2f8dbb40-5c2e-4f43-9a3c-5a35bd8f6f3e">
    <input type="hidden" name="restart" value="true">
    <button class="secondary">Begin again with a new code</button>
    </form>
    </section>
    "#);
}

#[test]
fn problem_says_what_to_do() {
    insta::assert_snapshot!(content(&problem(Problem::LoginRequest)), @r#"
    <h1>This sign-in has ended</h1>
    <p role="alert">It has expired, is finished already, was begun in another browser, or the server was restarted since.</p>
    <p>Go back to the application and sign in from there.</p>
    "#);
}

#[test]
fn each_kind_of_destination_is_named() {
    for (redirect_uri, words) in [
        (
            "http://[::1]:8080/auth/callback",
            "application on this computer, at [::1]:8080,",
        ),
        (
            "https://127.0.0.1/auth/callback",
            "application on this computer, at 127.0.0.1,",
        ),
        (
            "https://app.example.com:8443/cb",
            "application of the website app.example.com:8443 asks",
        ),
        (
            "https://xn--bcher-kva.example/cb",
            "website xn--bcher-kva.example asks",
        ),
        (
            "openziti://auth/callback",
            "for links that begin with openziti:,",
        ),
        (
            "com.example.app:/callback",
            "for links that begin with com.example.app:,",
        ),
    ] {
        let page = LoginPages::new(ID, &request_to(redirect_uri)).password(None);
        let text: String = page
            .html
            .split('<')
            .filter_map(|tag| Some(tag.split_once('>')?.1))
            .collect();
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn complete_login_goes_on_by_itself_and_by_hand() {
    let callback = "https://ctrl.example.test/oidc/authorize/callback?id=x";
    let page = signed_in(callback);
    let refresh = format!(r#"<meta http-equiv="refresh" content="0; url={callback}">"#);
    assert!(page.html.contains(&refresh), "{}", page.html);
    insta::assert_snapshot!(content(&page), @r#"
    <h1>You are signed in</h1>
    <p>
    <a href="https://ctrl.example.test/oidc/authorize/callback?id=x">Go on to the application</a>
    </p>
    "#);
}

#[test]
fn focus_goes_where_something_is_missing() {
    let focused = |page: &Page| {
        let before = page.html.split_once(" autofocus").map(|(before, _)| before);
        before.map(|before| {
            let element = before.rsplit_once('<').unwrap().1;
            element
                .split_once(r#"name=""#)
                .map_or("button", |(_, name)| name.split_once('"').unwrap().0)
                .to_owned()
        })
    };
    let request = testing::request();
    let login = LoginPages::new(ID, &request);
    let failed = |username| {
        Some(FailedAttempt {
            username,
            refusal: Refusal::Wrong,
        })
    };
    let enrollment = Enrollment::of("alice");
    for (page, field) in [
        (login.password(None), Some("username")),
        (login.password(failed("")), Some("username")),
        (login.password(failed("alice")), Some("password")),
        (login.certificate(None), Some("button")),
        (login.totp(None), Some("code")),
        // It would scroll past the secret.
        (login.totp_enrollment(&enrollment.view(), None), None),
        (
            login.totp_enrollment(&enrollment.view(), Some(Refusal::Wrong)),
            Some("code"),
        ),
    ] {
        assert_eq!(focused(&page).as_deref(), field, "{}", content(&page));
    }
}

#[test]
fn every_refusal_is_an_alert_that_a_field_refers_to() {
    for page in all_with("alice") {
        let alerts = page.html.matches(r#"id="error""#).count();
        assert_eq!(
            page.html.contains(r#"aria-describedby="error""#),
            alerts == 1
        );
    }
}
