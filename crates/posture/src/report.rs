//! What clients report is bounded and brought into one form.

use crate::posture::Posture;
use portcullis_domain::FieldError;
use portcullis_domain::posture::{Report, Statement};
use portcullis_domain::posture_check::bare_hex;

/// The member that is the larger part of it.
pub(crate) const fn member(report: &Report) -> &'static str {
    match report {
        Report::Os(_) => "version",
        Report::Domain(_) => "domain",
        Report::Mac(_) => "macAddresses",
        Report::Process { .. } => "path",
        Report::EndpointState { .. } => "typeId",
    }
}

/// Reports in the form in which they are kept. To bring many into it takes longer than to keep them.
#[derive(Debug, Clone)]
pub struct Settled {
    statements: Vec<Statement>,
    /// Whether they were made at once, and each has a place.
    are_several: bool,
}

impl Settled {
    /// Settles a report.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the member that is of absurd size.
    pub fn one(statement: Statement) -> Result<Self, FieldError> {
        Ok(Self {
            statements: vec![settle(statement)?],
            are_several: false,
        })
    }

    /// Settles reports that were made at once.
    ///
    /// # Errors
    ///
    /// [`FieldError`] naming the place of the report and its member that is of absurd size.
    pub fn several(statements: Vec<Statement>) -> Result<Self, FieldError> {
        if statements.len() > Posture::MOST_AT_ONCE {
            let reason = format!("must have at most {} items", Posture::MOST_AT_ONCE);
            let count = statements.len().to_string();
            return Err(FieldError::new("postureResponse", reason, count));
        }
        let statements = statements
            .into_iter()
            .enumerate()
            .map(|(place, statement)| {
                settle(statement).map_err(|error| at_place(Some(place), error))
            });
        Ok(Self {
            statements: statements.collect::<Result<_, _>>()?,
            are_several: true,
        })
    }

    /// The reports, each with its place if they were made at once.
    pub(crate) fn into_statements(self) -> impl Iterator<Item = (Option<usize>, Statement)> {
        let places = self.are_several;
        let statements = self.statements.into_iter().enumerate();
        statements.map(move |(place, statement)| (places.then_some(place), statement))
    }
}

/// The fault of a report, as one of those that were made at once.
pub(crate) fn at_place(place: Option<usize>, error: FieldError) -> FieldError {
    match place {
        Some(place) => FieldError {
            field: format!("{place}.{}", error.field),
            ..error
        },
        None => error,
    }
}

/// Brings a report into the form in which it is kept.
///
/// # Errors
///
/// [`FieldError`] naming the member that is of absurd size. What it says is not repeated.
fn settle(mut statement: Statement) -> Result<Statement, FieldError> {
    bound("id", statement.check.as_str(), Report::LONGEST_TEXT)?;
    match &mut statement.report {
        Report::Os(os) => {
            bound("type", &os.kind, Report::LONGEST_TEXT)?;
            bound("version", &os.version, Report::LONGEST_TEXT)?;
            bound("build", &os.build, Report::LONGEST_TEXT)?;
        },
        Report::Domain(domain) => bound("domain", domain, Report::LONGEST_TEXT)?,
        Report::Mac(addresses) => {
            bound_all("macAddresses", &*addresses, Report::MOST_ADDRESSES)?;
            *addresses = addresses.iter().map(|text| bare_hex(text)).collect();
            addresses.sort_unstable();
            addresses.dedup();
        },
        Report::Process { path, process } => {
            bound("path", path, Report::LONGEST_PATH)?;
            bound("hash", &process.hash, Report::LONGEST_TEXT)?;
            let signers = &process.signers;
            bound_all("signerFingerprints", signers, Report::MOST_SIGNERS)?;
            process.hash = bare_hex(&process.hash);
            process.signers = signers.iter().map(|text| bare_hex(text)).collect();
        },
        Report::EndpointState { .. } => {},
    }
    Ok(statement)
}

/// Refuses a list of too many texts, or one with a text that is too long.
fn bound_all<'a, L>(field: &str, texts: L, most: usize) -> Result<(), FieldError>
where
    L: IntoIterator<Item = &'a String, IntoIter: ExactSizeIterator>,
{
    let texts = texts.into_iter();
    if texts.len() > most {
        let reason = format!("must have at most {most} items");
        return Err(FieldError::new(field, reason, texts.len().to_string()));
    }
    for (place, text) in texts.enumerate() {
        bound(&format!("{field}.{place}"), text, Report::LONGEST_TEXT)?;
    }
    Ok(())
}

fn bound(field: &str, text: &str, most: usize) -> Result<(), FieldError> {
    if text.len() <= most {
        return Ok(());
    }
    let reason = format!("must be at most {most} bytes long");
    let value = format!("{} bytes", text.len());
    Err(FieldError::new(field, reason, value))
}
