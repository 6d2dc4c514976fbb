//! Registered clients, and how they tell who they are.
//!
//! Both clients are public: they run on machines of users and have no secret that could be kept (RFC 6749
//! section 2.1). What authenticates a request of theirs is PKCE, or the token that it presents.

use crate::parameters::{Parameters, ParametersError};
use base64::{Engine as _, engine::general_purpose::STANDARD};

pub use portcullis_domain::oidc_session::OidcClient as Client;

/// Identifies the client of a request to the token endpoint or its relatives: by the parameter
/// `client_id`, or by HTTP Basic with an empty password (RFC 6749 section 2.3.1), or by both if they
/// agree. `authorization` is the value of the header of that name.
pub fn identify(
    authorization: Option<&str>,
    parameters: &Parameters,
) -> Result<Client, ClientError> {
    if parameters.get("client_secret")?.is_some() || parameters.get("client_assertion")?.is_some() {
        return Err(ClientError::Unsupported { in_header: false });
    }
    let named = parameters.get("client_id")?;
    let by_parameter = named
        .map(|id| Client::from_id(id).ok_or(ClientError::Unknown { in_header: false }))
        .transpose()?;
    let by_header = authorization.map(from_basic).transpose()?;
    match (by_header, by_parameter) {
        (Some(header), Some(parameter)) if header != parameter => Err(ClientError::Ambiguous),
        (Some(client), _) | (None, Some(client)) => Ok(client),
        (None, None) => Err(ClientError::Missing),
    }
}
/// A request does not tell which client it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    #[error("client_id is missing")]
    Missing,
    #[error("client not found")]
    Unknown {
        /// Whether the header `Authorization` was used, which decides about the status of the answer.
        in_header: bool,
    },
    #[error("client_id and the header Authorization name different clients")]
    Ambiguous,
    #[error("clients have no secrets here; send client_id alone")]
    Unsupported {
        /// See [`ClientError::Unknown`].
        in_header: bool,
    },
    #[error(transparent)]
    Parameters(#[from] ParametersError),
}

fn from_basic(authorization: &str) -> Result<Client, ClientError> {
    let unsupported = ClientError::Unsupported { in_header: true };
    let (scheme, credentials) = authorization.split_once(' ').ok_or(unsupported)?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return Err(unsupported);
    }
    let credentials = STANDARD.decode(credentials.trim()).or(Err(unsupported))?;
    let credentials = str::from_utf8(&credentials).or(Err(unsupported))?;
    let (id, secret) = credentials.split_once(':').ok_or(unsupported)?;
    if !secret.is_empty() {
        return Err(unsupported);
    }
    // Ids consist of letters, so the form encoding of RFC 6749 section 2.3.1 leaves them as they are.
    Client::from_id(id).ok_or(ClientError::Unknown { in_header: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identify(authorization: Option<&str>, form: &str) -> Result<Client, ClientError> {
        super::identify(authorization, &Parameters::parse(form).unwrap())
    }

    fn basic(credentials: &str) -> String {
        format!("Basic {}", STANDARD.encode(credentials))
    }

    #[test]
    fn form_and_basic_name_the_client() {
        assert_eq!(identify(None, "client_id=openziti"), Ok(Client::OpenZiti));
        let header = basic("native:");
        assert_eq!(identify(Some(&header), ""), Ok(Client::Native));
        let lower = header.replace("Basic", "basic");
        assert_eq!(
            identify(Some(&lower), "client_id=native"),
            Ok(Client::Native)
        );
    }

    #[test]
    fn others_are_refused() {
        let unknown = |in_header| Err(ClientError::Unknown { in_header });
        let unsupported = |in_header| Err(ClientError::Unsupported { in_header });
        for (credentials, form, expected) in [
            (None, "", Err(ClientError::Missing)),
            (None, "client_id=", Err(ClientError::Missing)),
            (None, "client_id=nope", unknown(false)),
            (None, "client_id=OpenZiti", unknown(false)),
            (
                None,
                "client_id=openziti&client_secret=s",
                unsupported(false),
            ),
            (
                None,
                "client_id=native&client_assertion=a",
                unsupported(false),
            ),
            (Some("nope:"), "", unknown(true)),
            (Some("native:secret"), "", unsupported(true)),
            (Some("native"), "", unsupported(true)),
            (
                Some("native:"),
                "client_id=openziti",
                Err(ClientError::Ambiguous),
            ),
            (Some("native:"), "client_id=nope", unknown(false)),
        ] {
            let header = credentials.map(basic);
            assert_eq!(
                identify(header.as_deref(), form),
                expected,
                "{credentials:?} {form}"
            );
        }
        for header in ["Bearer abc", "Basic", "Basic ???", "Basic /w=="] {
            assert_eq!(identify(Some(header), ""), unsupported(true), "{header}");
        }
        let twice = identify(None, "client_id=native&client_id=native");
        let repeated = ParametersError::Repeated("client_id");
        assert_eq!(twice, Err(ClientError::Parameters(repeated)));
    }
}
