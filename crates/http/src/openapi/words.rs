//! What a description says about an API as a whole.

use crate::path::Api;

/// What holds for all operations.
pub(super) const ABOUT: &str = "\
Answers are wrapped in an object with `data` and `meta`; refusals are an `Error`, whose `code` tells \
them apart.

Bodies are read as follows: names of members are matched without regard to case, `null` stands for \
a member that is left out, and members that are not known are passed over.

A session is opened by `POST /authenticate` of the client or management API, and its token comes with \
each request in the header `zt-session`. What an operation demands of its caller stands under \
`x-access`: nothing (`anybody`), a session (`session`; `partial` ones suffice where a second factor \
may still be open), a permission such as `identity.read`, or the rank of an administrator (`admin`; \
`admin, read-only` where the permission `admin_readonly` suffices). Administrators may do everything, \
and holders of `admin_readonly` may read whatever a permission lets others read, unless it is demanded \
by name.";

/// What an API is called.
pub(super) const fn title(api: Api) -> &'static str {
    match api {
        Api::Client => "client API",
        Api::Management => "management API",
        Api::Fabric => "fabric API",
        Api::HealthChecks => "health checks",
    }
}

/// A text that begins with a capital.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
