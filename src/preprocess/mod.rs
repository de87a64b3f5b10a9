//! Tokens to tokens: includes, macros, conditionals.
