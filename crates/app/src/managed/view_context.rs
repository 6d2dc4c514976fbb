//! Context for building views of entities.

use crate::app::App;
use crate::error::AppError;
use crate::posture::PostureEvaluator;
use portcullis_domain::access::Caller;
use portcullis_storage::tables::Rows;
use std::cell::OnceCell;
use std::rc::Rc;

/// Context for building the views of one request. Clones share the posture evaluator.
#[derive(Clone)]
pub struct ViewContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) rows: Rows<'a>,
    /// The caller who will see the view.
    pub(crate) caller: &'a Caller,
    evaluator: Rc<OnceCell<PostureEvaluator<'a>>>,
}

impl<'a> ViewContext<'a> {
    pub(super) fn new(app: &'a App, rows: Rows<'a>, caller: &'a Caller) -> Self {
        Self {
            app,
            rows,
            caller,
            evaluator: Rc::default(),
        }
    }

    /// The posture evaluator for the caller's session, shared by all entities of a list so that
    /// each policy is read and evaluated once.
    pub(crate) fn evaluator(&self) -> Result<&PostureEvaluator<'a>, AppError> {
        if let Some(evaluator) = self.evaluator.get() {
            return Ok(evaluator);
        }
        let evaluator = PostureEvaluator::for_caller(self.app, self.rows, self.caller)?;
        Ok(self.evaluator.get_or_init(|| evaluator))
    }
}

impl std::fmt::Debug for ViewContext<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ViewContext")
            .finish_non_exhaustive()
    }
}
