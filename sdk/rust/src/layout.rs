// SPDX-License-Identifier: MIT
//! The numbers of the shared-memory contract, as `include/corotracer/ctp.h` has them.
//!
//! Made by `tools/make-layout rust`: change the header or its tables, and make this file anew.
#![allow(missing_docs, dead_code)]

use crate::memory::{Bytes, Half, Word};

pub const MAGIC: u64 = 0x3247455343505443;
pub const VERSION: u32 = 2;
pub const PAGE_BYTES: usize = 4096;
pub const RECORD_BYTES: usize = 32;
pub const CHUNK_BYTES: usize = 65536;
pub const CHUNK_RECORDS: u32 = 2048;
pub const RING_CHUNKS: u32 = 256;
pub const RING_STRIDE: usize = 2560;
pub const RING_MAX: u32 = 4096;
pub const SITE_MAX: u32 = 65536;
pub const NAME_BYTES: u32 = 8388608;
pub const CHUNK_MAX: u32 = 16384;
pub const ID_BLOCK: u32 = 1024;
pub const WANTED_ENGINE: u32 = 1;
pub const WANTED_FLIGHT: u32 = 2;
pub const WANTED_BITS: u32 = 8;
pub const FEATURE_CATEGORIES: u64 = 1;
pub const FEATURE_WANTED: u64 = 2;
pub const FEATURE_WAKES: u64 = 8;
pub const FEATURE_FLIGHT: u64 = 16;
pub const FEATURE_ABOUT: u64 = 32;
pub const LOG_HAS_NUMBER: u32 = 1;
pub const LOG_TEXT_MAX: usize = 128;
pub const TEXT_DETAIL_BYTES: usize = 8;
pub const TOLD_AROUND: u32 = 1;
pub const ENQUEUE_PRIVATE: u32 = 1;
pub const PARK_UNTIMED: u32 = 1;
pub const RETURN_FAILED: u32 = 1;
pub const RETURN_CANCELLED: u32 = 2;
pub const WAKER_TAKEN: u32 = 1;
pub const NOTIFY_UNKEPT: u32 = 1;
pub const SYSCALL_READY: u32 = 1;
pub const ENVIRONMENT: &str = "COROTRACER_SOCKET\0";
pub const CLOCK_ENVIRONMENT: &str = "COROTRACER_CLOCK\0";
pub const ATTACH_ENVIRONMENT: &str = "COROTRACER_ATTACH\0";
pub const FLIGHT_ENVIRONMENT: &str = "COROTRACER_FLIGHT\0";

pub mod kind {
    pub const CREATE: u8 = 1;
    pub const FRAME: u8 = 2;
    pub const RESUME: u8 = 3;
    pub const SUSPEND: u8 = 4;
    pub const CANCEL: u8 = 5;
    pub const WAKE: u8 = 6;
    pub const ENQUEUE: u8 = 7;
    pub const DEQUEUE: u8 = 8;
    pub const RETURN: u8 = 9;
    pub const DESTROY: u8 = 10;
    pub const AWAIT: u8 = 11;
    pub const AWAIT_DONE: u8 = 12;
    pub const ACQUIRE: u8 = 13;
    pub const RELEASE: u8 = 14;
    pub const HAND_OVER: u8 = 15;
    pub const NOTIFY: u8 = 16;
    pub const SWITCH: u8 = 17;
    pub const DETAIL: u8 = 18;
    pub const DESCRIPTOR_OPEN: u8 = 24;
    pub const DESCRIPTOR_CLOSE: u8 = 25;
    pub const DESCRIPTOR_ARM: u8 = 26;
    pub const DESCRIPTOR_READY: u8 = 27;
    pub const DESCRIPTOR_IO: u8 = 28;
    pub const DESCRIPTOR_SHUTDOWN: u8 = 29;
    pub const DESCRIPTOR_DUP: u8 = 30;
    pub const DESCRIPTOR_TIMER: u8 = 31;
    pub const SYSCALL_BEGIN: u8 = 32;
    pub const SYSCALL_END: u8 = 33;
    pub const RANGE_BEGIN: u8 = 34;
    pub const RANGE_END: u8 = 35;
    pub const PROCESSOR: u8 = 36;
    pub const SAMPLE: u8 = 37;
    pub const THREAD_START: u8 = 40;
    pub const THREAD_STOP: u8 = 41;
    pub const PARK: u8 = 42;
    pub const UNPARK: u8 = 43;
    pub const BLOCK_BEGIN: u8 = 44;
    pub const BLOCK_END: u8 = 45;
    pub const TASK_BEGIN: u8 = 50;
    pub const TASK_END: u8 = 51;
    pub const REGION_BEGIN: u8 = 52;
    pub const REGION_END: u8 = 53;
    pub const LOG: u8 = 54;
    pub const COUNTER: u8 = 55;
    pub const MARK: u8 = 56;
    pub const TASK_SET: u8 = 57;
    pub const NAME: u8 = 58;
    pub const LOST: u8 = 60;
    pub const CLOCK: u8 = 61;
    pub const CRASH: u8 = 62;
    pub const THREAD_STATE: u8 = 63;
    pub const THREAD_TIME: u8 = 64;
    pub const THREAD_POLL: u8 = 65;
    pub const THREAD_OFF: u8 = 66;
    pub const PAGE_FAULT: u8 = 67;
    pub const FAULTS: u8 = 68;
}

pub mod resource {
    pub const NONE: u8 = 0;
    pub const DESCRIPTOR: u8 = 1;
    pub const LOCK: u8 = 2;
    pub const CONDITION: u8 = 3;
    pub const CHANNEL: u8 = 4;
    pub const SEMAPHORE: u8 = 5;
    pub const TIMER: u8 = 6;
    pub const COROUTINE: u8 = 7;
    pub const FRAME: u8 = 8;
    pub const QUEUE: u8 = 9;
    pub const EVENT: u8 = 10;
    pub const PROCESS: u8 = 11;
    pub const OTHER: u8 = 12;
    pub const REMOTE: u8 = 13;
    pub const NETWORK: u8 = 14;
    pub const PROCESSOR: u8 = 15;
}

pub mod outcome {
    pub const QUEUED: u8 = 0;
    pub const ALREADY_QUEUED: u8 = 1;
    pub const TARGET_RUNNING: u8 = 2;
    pub const DROPPED: u8 = 3;
    pub const NO_TARGET: u8 = 4;
    pub const RESUMED: u8 = 5;
    pub const NO_WAKER: u8 = 6;
    pub const PASSED_ON: u8 = 7;
}

pub mod point {
    pub const AWAIT: u8 = 0;
    pub const INITIAL: u8 = 1;
    pub const FINAL: u8 = 2;
    pub const YIELD: u8 = 3;
    pub const PREEMPTED: u8 = 4;
}

pub mod life {
    pub const DONE: u8 = 0;
    pub const SUSPENDED: u8 = 1;
    pub const UNSEEN: u8 = 2;
    pub const UNTOLD: u8 = 3;
}

pub mod mark {
    pub const DAEMON: u8 = 1;
    pub const EXPECT_IDLE: u8 = 2;
    pub const PHASE: u8 = 3;
    pub const START: u8 = 4;
    pub const STOP: u8 = 5;
    pub const DUMP: u8 = 6;
    pub const LEFT_OUT: u8 = 7;
    pub const SIGNALS_END: u8 = 8;
    pub const RUNTIME: u8 = 9;
    pub const HELD: u8 = 10;
    pub const THREAD_AT: u8 = 11;
    pub const THREAD_NAME: u8 = 12;
    pub const BLOCKING: u8 = 13;
    pub const SIGNAL: u8 = 14;
}

pub mod loss {
    pub const FULL: u8 = 0;
    pub const NESTED: u8 = 1;
    pub const OVERWRITTEN: u8 = 2;
    pub const NO_RING: u8 = 3;
    pub const CORRUPT: u8 = 4;
    pub const OUTPUT: u8 = 5;
    pub const SEQUENCE: u8 = 6;
    pub const NO_STATION: u8 = 7;
    pub const PART: u8 = 8;
    pub const PAUSED: u8 = 9;
    pub const CATEGORY: u8 = 10;
    pub const SAMPLE: u8 = 11;
    pub const LEFT_OUT: u8 = 12;
    pub const BEFORE: u8 = 13;
    pub const OPEN_END: u8 = 14;
    pub const NO_ROOM: u8 = 15;
}

pub mod call {
    pub const OTHER: u8 = 0;
    pub const EPOLL_WAIT: u8 = 1;
    pub const POLL: u8 = 2;
    pub const SELECT: u8 = 3;
    pub const READ: u8 = 4;
    pub const WRITE: u8 = 5;
    pub const ACCEPT: u8 = 6;
    pub const LOCK: u8 = 7;
}

pub mod detail {
    pub const DEADLINE: u8 = 1;
    pub const RECEIVER: u8 = 2;
    pub const RESOURCE: u8 = 3;
    pub const NUMBERING: u8 = 4;
    pub const MISSING: u8 = 5;
    pub const ADDRESS: u8 = 6;
    pub const TEXT: u8 = 7;
    pub const CALLER: u8 = 8;
    pub const SWEPT: u8 = 9;
    pub const RECLAIMED: u8 = 10;
    pub const OTHER_END: u8 = 11;
    pub const BYTES: u8 = 12;
    pub const SENDER: u8 = 13;
    pub const UNREACHED: u8 = 14;
}

pub mod range {
    pub const OTHER: u8 = 0;
    pub const PAUSE: u8 = 1;
    pub const MARK: u8 = 2;
    pub const SWEEP: u8 = 3;
    pub const ASSIST: u8 = 4;
    pub const GC_WORKER: u8 = 5;
    pub const GC_IDLE: u8 = 6;
}

pub mod processor {
    pub const UNSEEN: u8 = 0;
    pub const IDLE: u8 = 1;
    pub const RUNNING: u8 = 2;
    pub const SYSCALL: u8 = 3;
    pub const GONE: u8 = 4;
}

pub mod category {
    pub const SCHEDULING: u8 = 0;
    pub const RESOURCES: u8 = 1;
    pub const DESCRIPTORS: u8 = 2;
    pub const TASKS: u8 = 3;
    pub const REGIONS: u8 = 4;
    pub const LOGS: u8 = 5;
    pub const COUNTERS: u8 = 6;
    pub const RUNTIME: u8 = 7;
    pub const SAMPLES: u8 = 8;
}

pub mod site_kind {
    pub const SOURCE: u32 = 1;
    pub const ADDRESS: u32 = 2;
    pub const FUNCTION: u32 = 3;
    pub const NAME: u32 = 4;
    pub const INSTRUCTION: u32 = 5;
    pub const CALLER: u32 = 6;
}

pub mod form {
    pub const C: u32 = 1;
    pub const CPP: u32 = 2;
    pub const CO_AWAIT: u32 = 3;
}

pub mod clock {
    pub const NONE: u32 = 0;
    pub const COUNTER: u32 = 1;
    pub const MONOTONIC: u32 = 2;
    pub const COARSE: u32 = 3;
}

pub mod role {
    pub const PROBE: u32 = 1;
    pub const LEDGER: u32 = 2;
    pub const ENGINE: u32 = 3;
}

pub mod segment_state {
    pub const LIVE: u32 = 1;
    pub const CLOSED: u32 = 2;
}

pub mod policy {
    pub const DROP_NEWEST: u32 = 0;
    pub const OVERWRITE_OLDEST: u32 = 1;
}

pub mod record {
    use super::*;
    pub const BYTES: usize = 32;
    pub const TIME: Word = Word::at(0);
    pub const CORO: Word = Word::at(8);
    pub const OBJECT: Word = Word::at(16);
    pub const TAIL: Word = Word::at(24);
}

pub mod ring {
    use super::*;
    pub const BYTES: usize = 2560;
    pub const HEAD: Word = Word::at(0);
    pub const FLOOR: Word = Word::at(8);
    pub const DROPPED: Word = Word::at(16);
    pub const NESTED: Word = Word::at(24);
    pub const DROPPED_FIRST: Word = Word::at(32);
    pub const DROPPED_TOLD: Word = Word::at(40);
    pub const OWNER: Half = Half::at(48);
    pub const CLAIMS: Half = Half::at(52);
    pub const NR_BESIDE: Word = Word::at(56);
    pub const TAIL: Word = Word::at(64);
    pub const NR_OWNED: Half = Half::at(128);
    pub const NR_FREE: Half = Half::at(132);
    pub const RECLAIMED: Word = Word::at(136);
    pub const ASSIGNED: Word = Word::at(144);
    pub const FULL_DRAINED: Word = Word::at(152);
    pub const FULL_ORDERS: Word = Word::at(160);
    pub const UNBACKED: Half = Half::at(168);
    pub const SURPLUS: Half = Half::at(172);
    pub const SPARE: Half = Half::at(192);
    pub const CHUNK: Half = Half::at(1216);
}

pub mod site {
    use super::*;
    pub const BYTES: usize = 32;
    pub const READY: Half = Half::at(0);
    pub const LINE: Half = Half::at(4);
    pub const COLUMN: Half = Half::at(8);
    pub const FILE: Half = Half::at(12);
    pub const FUNCTION: Half = Half::at(16);
    pub const REASON: Half = Half::at(20);
    pub const ADDRESS: Word = Word::at(24);
}

pub mod instant {
    use super::*;
    pub const BYTES: usize = 24;
    pub const COUNTER: Word = Word::at(0);
    pub const MONOTONIC_NS: Word = Word::at(8);
    pub const REALTIME_NS: Word = Word::at(16);
}

pub mod orders {
    use super::*;
    pub const BYTES: usize = 192;
    pub const WANTED: Half = Half::at(0);
    pub const CATEGORIES_OFF: Half = Half::at(4);
    pub const SLEEPING: Half = Half::at(8);
    pub const POLICY: Half = Half::at(12);
    pub const CHUNKS_PER_RING: Half = Half::at(16);
    pub const COARSE_TIME: Word = Word::at(64);
    pub const ENGINE_PID: Half = Half::at(128);
    pub const ATTACHMENTS: Half = Half::at(132);
    pub const ENGINE_HEARTBEAT_NS: Word = Word::at(136);
}

pub mod header {
    use super::*;
    pub const BYTES: usize = 384;
    pub const MAGIC: Word = Word::at(0);
    pub const VERSION: Half = Half::at(8);
    pub const HEADER_BYTES: Half = Half::at(12);
    pub const FEATURES_COMPATIBLE: Word = Word::at(16);
    pub const FEATURES_INCOMPATIBLE: Word = Word::at(24);
    pub const SEGMENT_BYTES: Word = Word::at(32);
    pub const ORDERS_OFFSET: Word = Word::at(40);
    pub const RING_OFFSET: Word = Word::at(48);
    pub const SITE_OFFSET: Word = Word::at(56);
    pub const NAME_OFFSET: Word = Word::at(64);
    pub const CHUNK_OFFSET: Word = Word::at(72);
    pub const RING_MAX: Half = Half::at(80);
    pub const SITE_MAX: Half = Half::at(84);
    pub const NAME_BYTES: Half = Half::at(88);
    pub const CHUNK_MAX: Half = Half::at(92);
    pub const CLOCK: Half = Half::at(96);
    pub const ROLE: Half = Half::at(100);
    pub const PID: Word = Word::at(104);
    pub const CLOCK_COUNTER: Word = Word::at(112);
    pub const CLOCK_MONOTONIC_NS: Word = Word::at(120);
    pub const CLOCK_REALTIME_NS: Word = Word::at(128);
    pub const IDENTITY: Bytes = Bytes::at(136);
    pub const RINGS_USED: Half = Half::at(192);
    pub const CHUNKS_USED: Half = Half::at(196);
    pub const SITES_USED: Half = Half::at(200);
    pub const NAMES_USED: Half = Half::at(204);
    pub const IDS_USED: Word = Word::at(208);
    pub const UNTRACED_EVENTS: Word = Word::at(216);
    pub const SITES_REFUSED: Half = Half::at(224);
    pub const STATE: Half = Half::at(228);
    pub const ABOUT_OFFSET: Word = Word::at(256);
    pub const ABOUT_BYTES: Word = Word::at(264);
    pub const INSTANTS_LOCK: Half = Half::at(272);
    pub const INSTANTS_TAKEN: Half = Half::at(276);
    pub const INSTANTS: Bytes = Bytes::at(280);
}

pub mod hello {
    use super::*;
    pub const BYTES: usize = 16;
    pub const MAGIC: Word = Word::at(0);
    pub const VERSION: Half = Half::at(8);
    pub const ROLE: Half = Half::at(12);
}
