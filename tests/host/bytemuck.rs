//! Derives of the names of bytemuck's, which do nothing.
extern crate proc_macro;
use proc_macro::TokenStream;

#[proc_macro_derive(Pod)]
pub fn pod(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

#[proc_macro_derive(Zeroable)]
pub fn zeroable(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
