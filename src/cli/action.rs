//! What a build is told by the build system whose action it is: `shaderport plan` writes these options.

use super::Outcome;
use super::depfile::write_rule;
use super::messages::Messages;
use crate::batch::farm::{outputs_digest, written_names};
use crate::batch::{Built, Elsewhere, Order, Packing, Plan, write_anew};
use crate::diagnostic::Code;
use clap::Args;
use std::path::PathBuf;

/// The options.
#[derive(Args, Debug, Default)]
pub struct ActionArgs {
    /// Neither read nor write a record: everything is built, and builds of other programs may write into OUT at the same time.
    #[arg(long)]
    pub no_record: bool,
    /// Write one dependency file of all outputs, for Make and Ninja. The same as -MF.
    #[arg(long, value_name = "FILE")]
    depfile_path: Option<PathBuf>,
    /// It is an error if the programs have other outputs than those of this digest, which a plan has. What follows a colon is not
    /// read: by it build systems see that an action is another one.
    #[arg(long, value_name = "DIGEST[:NOTE]")]
    expect: Option<String>,
    /// A file to write if the outputs are others, so that the plan is made again.
    #[arg(long, value_name = "FILE", requires = "expect")]
    outdated: Option<PathBuf>,
    /// Write the one program into this file, as workers of servers do.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "remote")]
    product: Option<PathBuf>,
}

impl ActionArgs {
    /// Whether an option of them was given.
    pub fn is_used(&self) -> bool {
        self.no_record || self.depfile_path.is_some() || self.expect.is_some()
    }

    /// Whether other commands write into the same directory.
    pub fn is_one_of_many(&self) -> bool {
        self.no_record && self.product.is_none()
    }

    /// What packs the program, if that is asked for. The error is a text for people.
    pub fn packing(&self, plan: &Plan) -> Result<Option<Box<dyn Elsewhere>>, String> {
        match &self.product {
            Some(_) if plan.jobs.len() != 1 => Err("--product is for one program".to_owned()),
            Some(file) => Ok(Some(Box::new(Packing::new(file)))),
            None => Ok(None),
        }
    }

    /// What is left to do after a build.
    pub fn finish(&self, built: &Built, order: &Order, messages: &mut Messages) -> Outcome {
        if built.fate().is_error() {
            return Outcome::Done;
        }
        let names = written_names(built);
        if let Some(expected) = &self.expect {
            let expected = expected.split(':').next().unwrap_or_default();
            if outputs_digest(&names) != expected {
                return self.is_outdated(messages);
            }
        }
        let Some(path) = &self.depfile_path else { return Outcome::Done };
        let targets: Vec<String> = names.iter().map(|name| order.shown(name)).collect();
        let mut inputs: Vec<String> = Vec::new();
        let all = built.reports.iter().flat_map(|(_, report)| &report.dependencies).chain(&order.read_besides);
        all.for_each(|input| inputs.push(input.clone()));
        inputs.sort();
        inputs.dedup();
        write_rule(path, &targets, &inputs, false, messages)
    }

    fn is_outdated(&self, messages: &mut Messages) -> Outcome {
        messages
            .error(Code::PLAN_OUTDATED, "the programs have other outputs than the plan of this build: make it again");
        let Some(path) = &self.outdated else { return Outcome::InputErrors };
        if let Err(e) = write_anew(path, b"") {
            messages.error(Code::OUTPUT, &format!("cannot write {}: {e}", path.display()));
        }
        Outcome::InputErrors
    }
}
