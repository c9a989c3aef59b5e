// All listeners, and this browser as one of them.

import { Listener } from "./listener.js";
import { $, counted, fill, icon, make, memory, set, setMuted, show, slider, span, text, within } from "./dom.js";
import { worstPair } from "./state.js";

const STATES = {
  connecting: "connecting", preparing: "measuring clock and sound", ready: "ready", playing: "playing",
  starving: "waiting for the song", finished: "finished", paused: "paused",
};

/** @param {typeof import("./app.js").tutti} tutti */
export function listenersView(tutti) {
  function update() {
    const { listeners } = tutti.programme.state;
    if (!tutti.isOpen("listeners")) return;
    const count = listeners.length;
    text($("listener-count"), count === 0 ? "Nobody is listening" : counted(count, "listener"));
    const worst = worstPair(listeners);
    text($("worst"), worst ? `Farthest apart: ${worst.names.join(" and ")}, ${span(worst.microseconds)} at most` : "");
    const key = (l) => `${l.instance} ${Boolean(l.volume) && tutti.may("command")}`;
    fill($("listener-list"), listeners, key, makeRow, updateRow);
  }

  function makeRow(listener) {
    const row = make("li", { className: "listener" }, make("p", {}, make("span", { className: "song" }),
      make("span", { className: "tag" })), make("p", { className: "faint" }));
    if (!listener.volume || !tutti.may("command")) return row;
    const command = (volume) => tutti.command({ volume: { ...volume, listener: listener.instance } });
    const mute = make("button", { className: "icon", "aria-label": `Mute ${listener.name}` }, icon("sound"));
    mute.onclick = () => command({ muted: mute.getAttribute("aria-pressed") !== "true" });
    const input = make("input", { type: "range", max: 100, "aria-label": `Volume of ${listener.name}` });
    row.setVolume = slider(input, (value) => `${value} %`, (value) => command({ level: value }));
    row.append(make("div", { className: "volume" }, mute, input,
      make("output", { "aria-hidden": "true" })));
    row.mute = mute;
    return row;
  }

  function updateRow(row, listener) {
    const [head, state] = row.children;
    const { errorMicroseconds: error, boundMicroseconds: bound, offsetMicroseconds: offset, role } = listener;
    text(head.firstChild, listener.name);
    text(head.lastChild,
      listener.instance === tutti.instance ? "this device" : listener.browser ? "browser" : "");
    text(state, [
      STATES[listener.state] ?? listener.state, error == null ? "" : within(error, bound ?? 0),
      offset ? `offset ${span(offset)}` : "", role && role !== "stereo" ? role : "",
    ].filter(Boolean).join(" · "));
    state.classList.toggle("warning", listener.state === "starving");
    if (!row.setVolume || !listener.volume) return;
    row.setVolume(listener.volume.level);
    setMuted(row.mute, listener.volume.muted);
  }

  tutti.showListeners = () => tutti.programme.state && update();
  return { update };
}

/** What this browser's own state is called. */
const OWN = {
  off: "Plays in step with all others, through this browser.", connecting: "Connecting…",
  preparing: "Measuring clock and sound…", ready: "Ready", playing: "In step",
  tap: "The browser has put sound to sleep.",
  starving: "Waiting for the song…", finished: "Finished", paused: "Paused",
};

/** @param {typeof import("./app.js").tutti} tutti */
export function ownListener(tutti) {
  let listener = null;
  for (const step of [-10, -1, 1, 10]) {
    const name = `${step < 0 ? "−" : "+"}${Math.abs(step)}`;
    const button = make("button", { textContent: name, "aria-label": `${name} milliseconds` });
    button.onclick = () => listener?.nudge(step);
    $("nudges").append(button);
  }
  $("nudges").append(make("button", { textContent: "Reset", onclick: () => listener?.setOffset(0) }));
  $("listen-button").onclick = () =>
    ["off", "tap"].includes(listener?.status.state) ? listener.start() : listener?.stop();
  $("own-mute").onclick = () => listener?.setMuted(!listener.status.muted);
  $("role").onchange = ({ target }) => listener?.setRole(target.value);
  $("keeps-locked").onchange = ({ target }) => listener?.setKeepsLocked(target.checked);
  $("radio").onclick = (event) => {
    // A guest's code stays here: its player gets an address that is good once.
    const address = $("radio").getAttribute("href");
    if (!tutti.connection.isGuest || address !== "/stream") return setTimeout(() => set($("radio"), "href", "/stream"));
    event.preventDefault();
    tutti.connection.request({ stream: {} }).then(({ stream }) => {
      set($("radio"), "href", stream.path);
      text($("radio-note"), "Tap once more: this address is good once, for five minutes.");
    }, (error) => tutti.tell(error.message));
  };
  const setVolume = slider($("own-volume"), (level) => `${level} %`, (level) => listener?.setVolume(level));
  $("own-name").value = tutti.name;
  $("own-name").onchange = ({ target }) => {
    tutti.name = target.value = target.value.trim() || tutti.name;
    memory.set("name", tutti.name);
    tutti.connection.restart({ name: tutti.name });
  };

  /** To be called whenever the page has joined. */
  function join({ ticket, instance }) {
    if (listener) return listener.setAccess({ ticket, instance, name: tutti.name });
    listener = new Listener({ ticket, instance, name: tutti.name });
    listener.onchange = update;
    listener.oncommand = (name) => tutti.command({ [name]: {} });
    update(listener.status);
  }

  function leave() {
    if (listener) listener.onchange = null;
    listener?.close();
    listener = null;
  }

  function update(status) {
    const { state } = status;
    const isOn = state !== "off";
    const error = status.error === null ? "" : `: ${within(1_000 * status.error, 1_000 * status.bound)}`;
    text($("listen-button"), state === "tap" ? "Tap to hear it again" : isOn ? "Stop listening" : "Listen here");
    $("listen-button").classList.toggle("main", !isOn || state === "tap");
    text($("listen-state"), (OWN[state] ?? state) + (state === "playing" ? error : ""));
    text($("listen-message"), status.message
      || (status.isElement && isOn ? "Nothing tells how late this sounds: set the offset by ear." : ""));
    show($("listen-settings"), isOn);
    show($("lock"), Boolean(listener.canKeepLocked));
    $("keeps-locked").checked = status.isElement;
    setVolume(status.volume);
    setMuted($("own-mute"), status.muted);
    text($("offset"), status.offset ? `${status.offset > 0 ? "+" : ""}${span(1_000 * status.offset)}` : "none");
    if ($("role").value !== status.role) $("role").value = status.role;
  }

  /** Shows whether somebody may listen, and tells the lock screen what plays. */
  function present() {
    show($("listen"), tutti.may("listen"));
    const item = tutti.programme.state?.status.current;
    listener?.setTitle({
      title: item?.title ?? "", artist: item?.artist ?? "", album: item?.album ?? "", artwork: tutti.artwork ?? "",
    });
  }

  /** The broadcaster's clock in seconds at a moment of `performance.now()`, as this browser's listener knows it. */
  const session = (now) => listener?.session(now) ?? null;

  return { join, leave, session, update: present };
}
