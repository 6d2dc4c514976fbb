//! Texts that somebody else wrote.

use maud::{Markup, Render, html};
use portcullis_domain::terminal::is_terminal_control;

/// A text of somebody else, as it is shown: what is not visible, or changes the direction of writing, as an escape,
/// and apart from the direction of the text around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foreign<'t>(pub(super) &'t str);

impl Render for Foreign<'_> {
    fn render(&self) -> Markup {
        let visible: String = self
            .0
            .chars()
            .map(|character| {
                if is_terminal_control(character) {
                    character.escape_unicode().to_string()
                } else {
                    character.to_string()
                }
            })
            .collect();
        html! { bdi { (visible) } }
    }
}

/// What somebody typed, to be put back into its field.
pub(super) fn retyped(text: &str) -> String {
    text.replace(char::is_control, "")
}
