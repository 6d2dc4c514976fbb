//! Descriptions of underlying causes in plain words.

use super::refusal;
use portcullis_client::ClientError;
use portcullis_domain::io_error;
use std::error::Error;
use std::io;

/// Position of a JSON error, to append to a message.
pub(crate) fn json_position(error: &serde_json::Error) -> String {
    format!("(line {}, column {})", error.line(), error.column())
}

pub(super) fn describe(cause: &(dyn Error + 'static)) -> String {
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        return describe_io(error);
    }
    if let Some(ClientError::Refused(error)) = cause.downcast_ref() {
        return refusal::describe(error);
    }
    if let Some(error) = cause.downcast_ref::<serde_json::Error>() {
        return format!(
            "unexpected JSON at line {}, column {}",
            error.line(),
            error.column()
        );
    }
    if let Some(dialoguer::Error::IO(error)) = cause.downcast_ref() {
        return describe_io(error);
    }
    cause.to_string()
}

fn describe_io(error: &io::Error) -> String {
    // Resolver errors have no `io::ErrorKind` of their own.
    if error.to_string().starts_with("failed to lookup address") {
        return "its host name does not resolve".to_owned();
    }
    match (error.kind(), error.get_ref()) {
        (io::ErrorKind::InvalidData, None) => "it is not valid UTF-8".to_owned(),
        (io::ErrorKind::UnexpectedEof, None) => "it ended early".to_owned(),
        _ => io_error::describe_io_error(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_do_not_speak_the_language_of_libraries() {
        let json = serde_json::from_str::<serde_json::Value>("[1,").unwrap_err();
        assert_eq!(json_position(&json), "(line 1, column 3)");
        for (cause, words) in [
            (
                Box::new(json) as Box<dyn Error>,
                "unexpected JSON at line 1, column 3",
            ),
            (
                Box::new(io::Error::from_raw_os_error(111)),
                "nothing is listening there",
            ),
            (
                Box::new(dialoguer::Error::IO(io::ErrorKind::UnexpectedEof.into())),
                "it ended early",
            ),
            (Box::new(io::Error::other("own words")), "own words"),
        ] {
            assert_eq!(describe(&*cause), words);
        }
    }
}
