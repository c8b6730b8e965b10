// SPDX-License-Identifier: MIT
// Answers requests of a page by the reader that a page holds, of each trace in turn, by a reader of its own:
//     node reader.mjs READER TRACE... < REQUESTS
// Prints what tests/unit/answer_lines.c prints of each. A request that begins with "sql " is a statement.
import fs from 'node:fs';

const [, , reader, ...traces] = process.argv;
const module = new WebAssembly.Module(fs.readFileSync(reader));
const lines = fs.readFileSync(0, 'utf8').split('\n').slice(0, -1);

function answerAll(trace) {
	const system = {
		fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0, random_get: () => 0,
		clock_time_get: (clock, _, at) => {
			new DataView(exports.memory.buffer).setBigUint64(at, process.hrtime.bigint(), true);
			return 0;
		},
	};
	const {exports} = new WebAssembly.Instance(module, {wasi_snapshot_preview1: system});
	const bytes = fs.readFileSync(trace);
	const put = (at, what) => new Uint8Array(exports.memory.buffer).set(what, at);
	const answer = () => Buffer.from(exports.memory.buffer, exports.reader_answer(), exports.reader_answer_bytes());

	exports._initialize();
	put(exports.reader_room(bytes.length), bytes);
	if (exports.reader_open(bytes.length) !== 0) {
		process.stderr.write(`${answer()}\n`);
		process.exit(1);
	}
	for (const line of lines) {
		const isStatement = line.startsWith('sql '), request = Buffer.from(isStatement ? line.slice(4) : line);
		put(exports.reader_line(request.length), request);
		const status = isStatement ? exports.reader_query(request.length) : exports.reader_ask(request.length);
		const said = Buffer.from(answer());
		process.stdout.write(`${status} ${said.length}\n`);
		process.stdout.write(said);
	}
}

traces.forEach(answerAll);
