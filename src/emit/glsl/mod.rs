pub(super) fn emit(_: &super::Context) -> String {
    String::new()
}
