//! Texts about an API as a whole.

use portcullis_http::path::Api;

/// Introduction of every description.
pub(crate) const INTRODUCTION: &str = "\
Responses are wrapped in an object with `data` and `meta`; errors are an `Error`, identified by its \
`code`.

Request bodies are read as follows: names of members are case-insensitive, `null` means that the \
member is absent, and unknown members are ignored.

A session is opened by `POST /authenticate` of the client or management API, and its token is sent with \
each request in the header `zt-session`. The member `x-access` of an operation says what it requires: \
nothing (`anybody`), a session (`session`; `partial` means that a session with a pending second factor \
suffices), a permission such as `identity.read`, or an administrator (`admin`; `admin, read-only` means \
that the permission `admin_readonly` suffices). Administrators may do everything, and holders of \
`admin_readonly` may read everything that a permission lets others read, unless it is required \
by name.";

pub(crate) const fn title(api: Api) -> &'static str {
    match api {
        Api::Client => "client API",
        Api::Management => "management API",
        Api::Fabric => "fabric API",
        Api::HealthChecks => "health checks",
        Api::Oidc => "logins by OpenID Connect",
    }
}

/// Capitalizes the first letter.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
