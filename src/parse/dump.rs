//! Prints a tree in compact form.
