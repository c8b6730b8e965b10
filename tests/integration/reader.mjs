// SPDX-License-Identifier: MIT
// Answers requests of a page by the reader that a page holds, of each trace in turn, by a reader of its own:
//     node reader.mjs READER TRACE... < REQUESTS
// Prints what tests/unit/answer_lines.c prints of each.
import fs from 'node:fs';

const [, , reader, ...traces] = process.argv;
const nothing = {fd_close: () => 0, fd_seek: () => 0, fd_write: () => 0};
const module = new WebAssembly.Module(fs.readFileSync(reader));
const lines = fs.readFileSync(0, 'utf8').split('\n').slice(0, -1);

function answerAll(trace) {
	const {exports} = new WebAssembly.Instance(module, {wasi_snapshot_preview1: nothing});
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
		const request = Buffer.from(line);
		put(exports.reader_line(request.length), request);
		const status = exports.reader_ask(request.length);
		const said = Buffer.from(answer());
		process.stdout.write(`${status} ${said.length}\n`);
		process.stdout.write(said);
	}
}

traces.forEach(answerAll);
