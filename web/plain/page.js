// SPDX-License-Identifier: MIT
//
// The page without screens: the state of the recording, the findings, and the controls.
"use strict";

const token = new URLSearchParams(location.hash.slice(1)).get("token") ?? "";
const state = document.getElementById("state");

function query() {
	return token ? `?token=${encodeURIComponent(token)}` : "";
}

function seconds(ns) {
	return `${(ns / 1e9).toFixed(1)} s`;
}

function showState(told) {
	const parts = [told.path ?? "no trace in a file"];
	if (told.recording)
		parts.push(told.recording.is_open ? "recording" : "stopped",
			`${told.recording.nr_events.toLocaleString()} events`,
			`${told.recording.nr_lost.toLocaleString()} lost`,
			`seen ${seconds(told.recording.age_ns)} ago`);
	if (told.generation)
		parts.push(`judged ${seconds(told.judged_ago_ns)} ago`);
	if (told.trouble)
		parts.push(told.trouble);
	state.textContent = parts.join(" · ");
	state.className = told.trouble ? "trouble" : "";
	document.getElementById("controls").hidden = !told.recording || !token;
}

function showFindings(told) {
	const list = document.getElementById("findings");
	list.replaceChildren(...told.findings.map((finding) => {
		const item = document.createElement("li");
		item.textContent = `${finding.grade}: ${finding.title}`;
		return item;
	}));
	document.getElementById("none").textContent = told.nr_findings ? "" : "Nothing was found.";
}

async function post(path, body) {
	const answer = await fetch(path, {method: "POST", body, headers: {"X-Corotracer-Token": token}});
	if (!answer.ok)
		state.textContent = (await answer.json()).error;
}

const events = new EventSource(`/api/v1/events${query()}`);
events.addEventListener("state", (message) => showState(JSON.parse(message.data)));
events.addEventListener("findings", (message) => showFindings(JSON.parse(message.data)));
events.addEventListener("end", () => {
	events.close();
	state.textContent = "The recording has ended: 'corotracer serve FILE' shows its trace.";
});
events.onerror = () => {
	state.textContent = events.readyState === EventSource.CLOSED
		? "The server refuses: open the address that corotracer printed, with its token."
		: "The connection is lost.";
};
document.getElementById("download").href += query();
document.getElementById("dump").addEventListener("click", () => post("/api/v1/dump", ""));
for (const button of document.querySelectorAll("[data-order]"))
	button.addEventListener("click", () => post("/api/v1/control", button.dataset.order));
