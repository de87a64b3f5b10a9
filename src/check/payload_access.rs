//! Payload access qualifiers: `float3 color : read(caller) : write(closesthit, miss);`.

use super::Checker;
use crate::ast;
use crate::diagnostic::Code;
use crate::tree::{PAYLOAD_USERS, PayloadAccess};

impl Checker<'_> {
    /// What a field says of the stages that use it.
    pub(super) fn payload_access(&mut self, semantics: &[ast::Semantic]) -> PayloadAccess {
        let mut access = PayloadAccess::default();
        for semantic in semantics {
            let (users, words) = match semantic {
                ast::Semantic::Read(words) => (&mut access.read, words),
                ast::Semantic::Write(words) => (&mut access.write, words),
                ast::Semantic::Name(_) | ast::Semantic::Register(..) | ast::Semantic::PackOffset(..) => continue,
            };
            let users = users.get_or_insert_default();
            for word in words {
                if !users.add(word.name.as_str()) {
                    let message = format!("`{}` uses no payload: write {}", word.name, PAYLOAD_USERS.join(", "));
                    self.error(Code::BAD_ATTRIBUTE, word.span, message);
                }
            }
        }
        access
    }
}
