//! Normalization and limits of posture reports.

use portcullis_domain::FieldError;
use portcullis_domain::posture::{PostureReport, Report};
use portcullis_domain::posture_check::bare_hex;

/// The field that takes most of a report's size.
pub(crate) const fn largest_field(report: &Report) -> &'static str {
    match report {
        Report::Os(_) => "version",
        Report::Domain(_) => "domain",
        Report::Mac(_) => "macAddresses",
        Report::Process { .. } => "path",
        Report::EndpointState { .. } => "typeId",
    }
}

/// Normalized reports. Normalizing a batch takes longer than recording it.
#[derive(Debug, Clone)]
pub struct NormalizedReports {
    statements: Vec<PostureReport>,
    /// Whether errors name the index of a report.
    is_batch: bool,
}

impl NormalizedReports {
    /// Maximum number of reports in a batch.
    pub const MAX_BATCH: usize = 1024;

    /// Normalizes a single report.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the field that is too large.
    pub fn from_one(statement: PostureReport) -> Result<Self, FieldError> {
        Ok(Self {
            statements: vec![normalize(statement)?],
            is_batch: false,
        })
    }

    /// Normalizes a batch of reports.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the index of the report and the field that is too large.
    pub fn from_batch(statements: Vec<PostureReport>) -> Result<Self, FieldError> {
        if statements.len() > Self::MAX_BATCH {
            let reason = format!("must have at most {} items", Self::MAX_BATCH);
            let count = statements.len().to_string();
            return Err(FieldError::new("postureResponse", reason, count));
        }
        let statements = statements
            .into_iter()
            .enumerate()
            .map(|(place, statement)| {
                normalize(statement).map_err(|error| at_index(Some(place), error))
            });
        Ok(Self {
            statements: statements.collect::<Result<_, _>>()?,
            is_batch: true,
        })
    }

    /// The reports, with their indices in a batch.
    pub(crate) fn into_statements(self) -> impl Iterator<Item = (Option<usize>, PostureReport)> {
        let is_batch = self.is_batch;
        let statements = self.statements.into_iter().enumerate();
        statements.map(move |(place, statement)| (is_batch.then_some(place), statement))
    }
}

/// Prefixes the field of an error with the index of its report in a batch.
pub(crate) fn at_index(index: Option<usize>, error: FieldError) -> FieldError {
    match index {
        Some(place) => FieldError {
            field: format!("{place}.{}", error.field),
            ..error
        },
        None => error,
    }
}

/// Normalizes a report.
///
/// # Errors
///
/// [`FieldError`] naming the field that is too large, without its value.
fn normalize(mut statement: PostureReport) -> Result<PostureReport, FieldError> {
    check_length("id", statement.check.as_str(), Report::MAX_TEXT_LENGTH)?;
    match &mut statement.report {
        Report::Os(os) => {
            check_length("type", &os.kind, Report::MAX_TEXT_LENGTH)?;
            check_length("version", &os.version, Report::MAX_TEXT_LENGTH)?;
            check_length("build", &os.build, Report::MAX_TEXT_LENGTH)?;
        },
        Report::Domain(domain) => check_length("domain", domain, Report::MAX_TEXT_LENGTH)?,
        Report::Mac(addresses) => {
            check_list("macAddresses", &*addresses, Report::MAX_ADDRESSES)?;
            *addresses = addresses.iter().map(|text| bare_hex(text)).collect();
            addresses.sort_unstable();
            addresses.dedup();
        },
        Report::Process { path, process } => {
            check_length("path", path, Report::MAX_PATH_LENGTH)?;
            check_length("hash", &process.hash, Report::MAX_TEXT_LENGTH)?;
            let signers = &process.signers;
            check_list("signerFingerprints", signers, Report::MAX_SIGNERS)?;
            process.hash = bare_hex(&process.hash);
            process.signers = signers.iter().map(|text| bare_hex(text)).collect();
        },
        Report::EndpointState { .. } => {},
    }
    Ok(statement)
}

/// Checks the number of strings in a list and their lengths.
fn check_list<'a, L>(field: &str, texts: L, most: usize) -> Result<(), FieldError>
where
    L: IntoIterator<Item = &'a String, IntoIter: ExactSizeIterator>,
{
    let texts = texts.into_iter();
    if texts.len() > most {
        let reason = format!("must have at most {most} items");
        return Err(FieldError::new(field, reason, texts.len().to_string()));
    }
    for (place, text) in texts.enumerate() {
        check_length(&format!("{field}.{place}"), text, Report::MAX_TEXT_LENGTH)?;
    }
    Ok(())
}

fn check_length(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    if text.len() <= most {
        return Ok(());
    }
    let reason = format!("must be at most {most} bytes long");
    let value = format!("{} bytes", text.len());
    Err(FieldError::new(field, reason, value))
}
