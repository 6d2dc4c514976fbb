//! Plain-language descriptions of operating system errors.

use std::io::{self, ErrorKind};

/// Describes an I/O error, as the end of a sentence that names the file or connection.
///
/// # Examples
///
/// ```
/// use portcullis_domain::io_error;
/// use std::io;
///
/// let error = io::Error::from_raw_os_error(2);
/// assert_eq!(io_error::describe_io_error(&error), "it does not exist");
/// ```
pub fn describe_io_error(error: &io::Error) -> String {
    if let Some(words) = description(error.kind()) {
        return words.to_owned();
    }
    match (error.raw_os_error(), error.get_ref()) {
        (Some(number), _) => format!("the operating system reported error {number}"),
        (None, Some(inner)) => inner.to_string(),
        (None, None) => "the operating system refused".to_owned(),
    }
}

fn description(kind: ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::NotFound => "it does not exist",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::AlreadyExists => "it already exists",
        ErrorKind::IsADirectory => "it is a directory",
        ErrorKind::NotADirectory => "part of its path is not a directory",
        ErrorKind::InvalidFilename => "the file name is not valid or too long",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full",
        ErrorKind::FileTooLarge => "the file is too large",
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        ErrorKind::ResourceBusy | ErrorKind::ExecutableFileBusy => "it is in use",
        ErrorKind::OutOfMemory => "the machine is out of memory",
        ErrorKind::ConnectionRefused => "nothing is listening there",
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "the connection broke"
        },
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            "there is no route to it"
        },
        ErrorKind::AddrInUse => "the address is already in use",
        ErrorKind::AddrNotAvailable => "this machine does not have the address",
        ErrorKind::TimedOut => "it did not answer in time",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_system_are_told_in_words() {
        for (number, words) in [
            (2, "it does not exist"),
            (13, "permission denied"),
            (21, "it is a directory"),
            (28, "the disk is full"),
            (111, "nothing is listening there"),
        ] {
            assert_eq!(
                describe_io_error(&io::Error::from_raw_os_error(number)),
                words
            );
        }
        let unknown = describe_io_error(&io::Error::from_raw_os_error(40));
        assert!(!unknown.contains("(os error"), "{unknown}");
        assert_eq!(
            describe_io_error(&io::Error::other("own words")),
            "own words"
        );
    }
}
