// SPDX-License-Identifier: MIT
//! A layer for `tracing`: spans become regions, root spans become tasks, events become messages.
//!
//! ```
//! use tracing_subscriber::prelude::*;
//! tracing_subscriber::registry().with(corotracer::with_tracing::Layer::default()).init();
//! ```
//!
//! A region lasts from a span's enter to its exit: for an instrumented future, each poll is one region. The task of a
//! root span lasts until the span is closed, and moves with the span from thread to thread.

use std::fmt::{Debug, Write};

use tracing_core::field::{Field, Visit};
use tracing_core::{span, Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use crate::probe;

/// The layer.
#[derive(Debug, Default)]
pub struct Layer {
    _private: (),
}

/// The task of a root span.
struct Task(u64);

/// Returns the site of a span's or an event's place. The site is interned once, with its metadata as the key; metadata
/// lives as long as the program.
fn site_of(metadata: &'static Metadata<'static>) -> u32 {
    probe::site_of_metadata(
        metadata as *const Metadata<'_> as usize,
        metadata.file(),
        metadata.line().unwrap_or(0),
        metadata.name(),
    )
}

/// The message of an event, followed by its fields.
#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let blank = if self.0.is_empty() { "" } else { " " };
        let _ = match field.name() {
            "message" => write!(self.0, "{blank}{value:?}"),
            name => write!(self.0, "{blank}{name}={value:?}"),
        };
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> tracing_subscriber::Layer<S> for Layer {
    fn on_new_span(&self, _attributes: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let span = context.span(id).filter(|span| probe::is_attached() && span.parent().is_none());
        if let Some(span) = span {
            let task = probe::task_new();
            probe::task_begin(probe::current(), task, site_of(span.metadata()));
            span.extensions_mut().insert(Task(task));
        }
    }

    fn on_enter(&self, id: &span::Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|_| probe::is_attached()) else {
            return;
        };
        if let Some(task) = span.extensions().get::<Task>() {
            probe::task_set(probe::current(), task.0);
        }
        probe::region_begin(probe::current(), 0, site_of(span.metadata()));
    }

    fn on_exit(&self, id: &span::Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|_| probe::is_attached()) else {
            return;
        };
        probe::region_end(probe::current(), site_of(span.metadata()));
        if span.extensions().get::<Task>().is_some() {
            probe::task_set(probe::current(), 0);
        }
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        if let Some(task) = context.span(&id).and_then(|span| span.extensions_mut().remove::<Task>()) {
            probe::task_end(0, task.0);
        }
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        if !probe::is_attached() || *event.metadata().level() > Level::DEBUG {
            return;
        }
        let mut text = Text::default();
        event.record(&mut text);
        probe::log_text(probe::current(), &text.0, site_of(event.metadata()));
    }
}
