//! Stand-in for the derive macro of `schemars`: accepts its attributes and derives nothing.
//!
//! Only the tests that make the descriptions of the APIs need schemas. With this macro the wire types
//! are declared once, without a condition on each of them and on each of their attributes.

use proc_macro::TokenStream;

#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn derive_nothing(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
