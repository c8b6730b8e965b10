// SPDX-License-Identifier: MIT
//! All names of the crate imported together with those of the crates that it traces.
#[allow(unused_imports)]
use corotracer::*;

pub async fn play() {
    tokio::task::yield_now().await;
    tracing::info!("here");
    corotracer::with_tokio::traced_yield().await;
}
