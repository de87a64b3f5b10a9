//! `--message-format`: diagnostics for people, as lines of JSON, or as a log of SARIF.

use super::{Outcome, say, show};
use crate::batch::{Built, Finding};
use crate::compile::Output;
use crate::diagnostic::{Code, Merged, Message, Severity, sarif};
use crate::source::join_path;
use clap::{Args, ValueEnum};

/// The form of diagnostics.
#[derive(Clone, Copy, ValueEnum, Debug, PartialEq, Eq, Default)]
pub enum MessageFormat {
    /// Text for people.
    #[default]
    Human,
    /// An object of JSON a line (`shaderport explain messages`).
    Json,
    /// One log of SARIF 2.1.0.
    Sarif,
}

/// The option.
#[derive(Args, Clone, Debug, Default)]
pub struct MessageArgs {
    /// The form of diagnostics. They go to stderr; those of `check` for programs go to stdout.
    #[arg(long, value_enum, default_value = "human")]
    message_format: MessageFormat,
}

/// Reports messages in the form that was asked for: at once, or at the end what is one text.
pub struct Messages {
    format: MessageFormat,
    to_stdout: bool,
    kept: Vec<Message>,
}

impl Messages {
    /// `to_stdout`: nothing else goes there, so that programs are written to.
    pub fn new(args: &MessageArgs, to_stdout: bool) -> Messages {
        Messages::of(args.message_format, to_stdout)
    }

    /// The same for a form.
    pub fn of(format: MessageFormat, to_stdout: bool) -> Messages {
        Messages { format, to_stdout: to_stdout && format != MessageFormat::Human, kept: Vec::new() }
    }

    /// Whether they are for people.
    pub fn are_for_people(&self) -> bool {
        self.format == MessageFormat::Human
    }

    /// Whether texts for people have colors.
    pub fn color(&self) -> bool {
        self.are_for_people() && super::color()
    }

    /// Reports what was found in a program.
    pub fn output(&mut self, output: &Output) {
        output.messages(self.color()).into_iter().for_each(|message| self.report(message));
    }

    /// Reports an error without a place.
    pub fn error(&mut self, code: Code, text: &str) {
        self.report(Message::without_place(Severity::Error, Some(code), text, self.color()));
    }

    /// Reports what is of no program.
    pub fn finding(&mut self, finding: &Finding) {
        self.report(finding.message(self.color()));
    }

    /// Reports the errors of a build, and what was found in its programs, each once.
    pub fn built(&mut self, built: &mut Built) {
        built.errors.iter().for_each(|fault| self.finding(fault));
        let mut merged = Merged::default();
        for (job, report) in &mut built.reports {
            let path = job.path().to_string_lossy().replace('\\', "/");
            merged.add(&join_path("", &path), std::mem::take(&mut report.messages));
        }
        merged.finish().into_iter().for_each(|message| self.report(message));
    }

    /// Reports a fault that ends a command, and says how it ends.
    pub fn fault(&mut self, finding: &Finding) -> Outcome {
        self.finding(finding);
        Outcome::of_fault(finding.code())
    }

    /// Reports something that is worth knowing.
    pub fn note(&mut self, text: &str) {
        self.report(Message::without_place(Severity::Note, None, text, self.color()));
    }

    /// Reports something of several lines that is worth knowing.
    pub fn lines(&mut self, text: &str) {
        let message = Message::without_place(Severity::Note, None, text, self.color());
        self.report(Message { rendered: format!("note: {text}\n"), ..message });
    }

    /// Reports one message.
    pub fn report(&mut self, message: Message) {
        match self.format {
            MessageFormat::Human => say(&message.rendered),
            MessageFormat::Json => self.write(&message.to_json()),
            MessageFormat::Sarif => self.kept.push(message),
        }
    }

    /// Reports what is left: a log of SARIF is written whatever happened.
    pub fn finish(self, outcome: Outcome) -> Outcome {
        if self.format == MessageFormat::Sarif {
            let directory = std::env::current_dir().unwrap_or_default();
            self.write(&sarif::log(&self.kept, &directory.to_string_lossy().replace('\\', "/")));
        }
        outcome
    }

    fn write(&self, text: &str) {
        match self.to_stdout {
            true => drop(show(text)),
            false => say(text),
        }
    }
}
