//! `build --layout tree`: a flat build, and the tree that is made of it.

use super::messages::Messages;
use super::validate::artifact;
use crate::batch::headers::{TreeFileNames, TreeOrder, WholeText, WrittenTree, flat_directory, write_tree};
use crate::batch::{Built, Fate, Finding, Order, OutputUse, SidecarForm, documents, prepare, validators};
use crate::diagnostic::Code;
use crate::reflect::Reflection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where the flat build of a tree is.
pub struct FlatBuild<'t> {
    directory: PathBuf,
    tree: TreeOrder<'t>,
    /// It is kept by nobody: nothing is to be written.
    _temporary: Option<TempDir>,
}

impl<'t> FlatBuild<'t> {
    /// Below the output directory, or apart from it if nothing is to be written there.
    pub fn new(tree: TreeOrder<'t>) -> Result<FlatBuild<'t>, Finding> {
        let in_way = |e| {
            let text = format!("cannot write to {}: {e}", tree.out.display());
            Finding::error(Code::OUTPUT, text).in_file(tree.out)
        };
        if !tree.writes {
            let temporary = tempfile::tempdir().map_err(in_way)?;
            return Ok(FlatBuild { directory: temporary.path().to_path_buf(), tree, _temporary: Some(temporary) });
        }
        prepare(tree.out).map_err(in_way)?;
        Ok(FlatBuild { directory: flat_directory(tree.out), tree, _temporary: None })
    }

    /// An order with its outputs there. They have source maps, which tell what comes from headers.
    pub fn order<'a>(&'a self, order: Order<'a>) -> Result<Order<'a>, Finding> {
        let choices = order.choices.of_flat_build().map_err(|text| Finding::error(Code::BAD_OPTION, text))?;
        // They tell validators of the tree what a text is.
        let sidecar = if order.sidecar == SidecarForm::None { SidecarForm::Compact } else { order.sidecar };
        let outputs = OutputUse::Write;
        Ok(Order { out: &self.directory, choices, sidecar, prunes: true, outputs, spare_code: true, ..order })
    }

    /// Writes the tree, and has its texts checked if that is asked for.
    pub fn finish(
        &self,
        mut built: Built,
        order: &Order,
        validates: bool,
        messages: &mut Messages,
    ) -> Result<(Built, TreeFileNames), Finding> {
        let WrittenTree { whole, left_out, names } = write_tree(&mut built, order, &self.tree)?;
        for name in left_out.iter().filter(|_| order.verbose) {
            messages.note(&format!("{name}, which no entry point uses, is in no header"));
        }
        if validates {
            for text in &whole {
                self.validate(text, &mut built, messages)?;
            }
        }
        Ok((built, names))
    }

    /// What validators say of a text with its headers.
    fn validate(&self, whole: &WholeText, built: &mut Built, messages: &mut Messages) -> Result<(), Finding> {
        let path = self.directory.join(&whole.sidecar);
        let text = documents::read_text(&path)?;
        let sidecar = Reflection::read(&text).map_err(|fault| Finding::of_json(&path, &text, fault))?;
        let artifact = artifact(Path::new(&whole.name), whole.text.clone(), &sidecar)?;
        for complaint in validators::validate(&artifact) {
            let no_texts = |source: &str| (source.to_owned(), None);
            messages.report(complaint.message((&whole.name, &whole.name), None, &no_texts, messages.color()));
            built.reports.iter_mut().take(1).for_each(|(_, report)| report.fate = report.fate.max(Fate::Failed));
        }
        Ok(())
    }
}
