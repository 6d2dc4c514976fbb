//! What an entity is shown with.

use crate::app::App;
use crate::error::AppError;
use crate::posture::Judge;
use portcullis_domain::access::Caller;
use portcullis_storage::tables::Rows;
use std::cell::OnceCell;
use std::rc::Rc;

/// What an entity is shown with. Clones are about the same request.
#[derive(Clone)]
pub struct Beside<'a> {
    /// The controller.
    pub(crate) app: &'a App,
    /// The records.
    pub(crate) rows: Rows<'a>,
    /// Who is going to see it.
    pub(crate) caller: &'a Caller,
    judge: Rc<OnceCell<Judge<'a>>>,
}

impl<'a> Beside<'a> {
    pub(super) fn new(app: &'a App, rows: Rows<'a>, caller: &'a Caller) -> Self {
        Self {
            app,
            rows,
            caller,
            judge: Rc::default(),
        }
    }

    /// Who judges the caller's session; the same one for all entities of a list, so that each policy
    /// is read and judged once.
    pub(crate) fn judge(&self) -> Result<&Judge<'a>, AppError> {
        if let Some(judge) = self.judge.get() {
            return Ok(judge);
        }
        let judge = Judge::of_caller(self.app, self.rows, self.caller)?;
        Ok(self.judge.get_or_init(|| judge))
    }
}

impl std::fmt::Debug for Beside<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Beside").finish_non_exhaustive()
    }
}
