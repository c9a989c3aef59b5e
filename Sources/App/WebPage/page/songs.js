// Songs to add: from the library, as somebody types, and from this device.

import { $, clock, fill, make, show, text } from "./dom.js";

const UPLOAD_LIMIT = 2 ** 30;
/** An upload that does not move for so long is given up, ms: while it is sent, and while the song is looked at. */
const STALL = { sending: 30_000, judging: 120_000 };

/** @param {typeof import("./app.js").tutti} tutti */
export function songsView(tutti) {
  const { programme } = tutti;
  const search = $("search");
  let timer = 0;
  let asked = 0;

  search.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(find, 200);
  };

  async function find() {
    const query = search.value.trim();
    const number = ++asked;
    if (!query) return draw([], "");
    if (/^https?:\/\/./i.test(query)) return draw([{ path: query, title: query }], "");
    const answer = await tutti.connection.request({ songs: { query, limit: 50 } }).catch((error) => error);
    if (number !== asked) return;
    if (answer instanceof Error) return draw([], answer.message);
    const found = answer.songs;
    draw(found, found.length === 0 ? "Nothing found." : found.length < 50 ? "" : "The first 50: type more.");
  }

  function draw(found, note) {
    text($("search-note"), note);
    fill($("found"), found, (song) => song.path, makeRow);
  }

  function makeRow(song) {
    const names = [song.artist, song.album, song.seconds ? clock(song.seconds) : ""].filter(Boolean).join(" – ");
    const add = (label, more) => {
      const button = make("button", { textContent: label, "aria-label": `${label}: ${song.title}` });
      button.onclick = async () => {
        const command = { add: { paths: [song.path], ...more() } };
        if (await tutti.command(command, `Added: ${song.title}`)) text(button, "✓");
        setTimeout(() => text(button, label), 2_000);
      };
      return button;
    };
    const next = () => {
      const index = programme.queue.indexOf(programme.state.status.current?.id);
      return index < 0 ? {} : { position: index + 1 };
    };
    return make("li", { className: "item" },
      make("div", { className: "names" }, make("span", { className: "song", textContent: song.title }),
        make("span", { className: "faint", textContent: names })),
      make("div", { className: "buttons" }, add("Add", () => ({})), add("Next", next)));
  }

  // Files of this device, one after the other

  const waiting = [];
  let current = null;

  const take = (files) => {
    for (const file of files) {
      const note = make("span", { className: "faint", textContent: "waiting" });
      const bar = make("progress", { max: 1, value: 0, "aria-label": file.name });
      const upload = { file, note, bar };
      const stop = (upload.stop = make("button", { textContent: "Stop", "aria-label": `Stop ${file.name}` }));
      stop.onclick = () => end(upload);
      upload.row = make("li", { className: "item" }, make("div", { className: "names" },
        make("span", { className: "song", textContent: file.name }), note, bar), stop);
      $("uploads").append(upload.row);
      if (file.size > UPLOAD_LIMIT) finish(upload, "Too large: a song may have 1 GiB at most.", true);
      else waiting.push(upload);
    }
    advance();
  };
  $("files").onchange = ({ target }) => {
    take(target.files);
    target.value = "";
  };
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (tutti.may("add")) take(event.dataTransfer.files);
  });

  function advance() {
    if (current || waiting.length === 0) return;
    const upload = (current = waiting.shift());
    const { pathname, search: query } = new URL(
      `/api/v1/songs?name=${encodeURIComponent(upload.file.name)}`, location.origin);
    const target = pathname + query;
    const request = (upload.request = new XMLHttpRequest());
    let watch = 0;
    let isStalled = false;
    const expect = (patience) => {
      clearTimeout(watch);
      watch = setTimeout(() => {
        isStalled = true;
        request.abort();
      }, patience);
    };
    const done = (note, isFailure) => {
      clearTimeout(watch);
      current = null;
      finish(upload, note, isFailure);
      advance();
    };
    request.upload.onprogress = ({ loaded, total }) => {
      expect(loaded < total ? STALL.sending : STALL.judging);
      upload.bar.value = total ? loaded / total : 0;
      text(upload.note, loaded < total ? `${Math.floor((100 * loaded) / total)} %` : "checking…");
    };
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* judged by its status */ }
      const isDone = request.status < 300 && answer.done !== false;
      done(answer.error || answer.text || (isDone ? "added" : `refused (${request.status})`), !isDone);
    };
    request.onerror = () => done("The connection was lost: choose it again.", true);
    request.onabort = () => done(isStalled ? "It did not move any more: choose it again." : "stopped", true);
    request.open("POST", target);
    const authorization = tutti.connection.authorization("POST", target);
    if (authorization) request.setRequestHeader("Authorization", authorization);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(upload.file);
    expect(STALL.sending);
  }

  function end(upload) {
    if (upload === current) return upload.request.abort();
    waiting.splice(waiting.indexOf(upload), 1);
    finish(upload, "stopped", true);
  }

  function finish(upload, note, isFailure) {
    text(upload.note, note);
    upload.note.classList.toggle("warning", isFailure);
    upload.stop.remove();
    show(upload.bar, false);
    tutti.tell(`${upload.file.name}: ${note}`);
    if (!isFailure) setTimeout(() => upload.row.remove(), 10_000);
  }
}
