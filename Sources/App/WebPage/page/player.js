// What plays: cover, progress, transport, the group's volume, lyrics.

import { $, clock, make, set, setIcon, setMuted, show, slider, text } from "./dom.js";
import { lineAt, parseLyrics } from "./state.js";

const REPEATS = { off: ["all", "Repeat: off"], all: ["one", "Repeat: all"], one: ["off", "Repeat: this song"] };
/** Seconds that a key moves the position by. */
const STEPS = { ArrowRight: 5, ArrowUp: 5, ArrowLeft: -5, ArrowDown: -5, PageUp: 30, PageDown: -30 };

/** @param {typeof import("./app.js").tutti} tutti */
export function player(tutti) {
  const { programme } = tutti;
  const seek = $("seek");
  const words = $("words");
  let shown = { key: "", lyrics: null, picture: undefined };
  /** The place that somebody is choosing, in seconds. */
  let wanted = null;
  let release = 0;
  let isChosen = false;

  const click = (id, command) => ($(id).onclick = () => tutti.command(command()));
  click("toggle", () => ({ toggle: {} }));
  click("next-button", () => ({ next: {} }));
  click("previous-button", () => ({ previous: {} }));
  click("back", () => ({ skip: { seconds: -10 } }));
  click("forth", () => ({ skip: { seconds: 10 } }));
  click("shuffle-button", () => ({ shuffle: !programme.state.modes.shuffle }));
  click("repeat-button", () => ({ repeat: REPEATS[programme.state.modes.repeat]?.[0] ?? "off" }));
  click("group-mute", () => ({ volume: { muted: !programme.state.volume.muted } }));
  const setVolume = slider($("group-volume"), (level) => `${level} %`, (level) => tutti.command({ volume: { level } }));

  const choose = (seconds) => {
    wanted = Math.min(Math.max(0, seconds), Number(seek.max));
    isChosen = false;
    clearTimeout(release);
    tick();
    describe();
  };
  const commit = () => {
    clearTimeout(release);
    const seconds = wanted;
    // Another song has begun meanwhile.
    if (seconds === null) return;
    // The new position comes with the next status, or not at all.
    isChosen = true;
    release = setTimeout(() => (wanted = null), 2_000);
    tutti.command({ seek: { seconds } });
  };
  const describe = () => {
    const total = programme.state.status.current?.seconds;
    set(seek, "aria-valuetext", `${clock(Number(seek.value))}${total ? ` of ${clock(total)}` : ""}`);
  };
  seek.oninput = () => choose(Number(seek.value));
  seek.onchange = commit;
  seek.onfocus = describe;
  seek.onkeydown = (event) => {
    if (!STEPS[event.key]) return;
    event.preventDefault();
    choose((wanted ?? programme.elapsed(performance.now()) ?? 0) + STEPS[event.key]);
    clearTimeout(release);
    release = setTimeout(commit, 400);
  };

  function tick() {
    const item = programme.state?.status.current;
    if (!item) return;
    const elapsed = wanted ?? programme.elapsed(performance.now()) ?? 0;
    if (item.seconds) {
      if (Math.abs(Number(seek.value) - elapsed) >= 0.5 || wanted !== null) seek.value = elapsed;
      seek.style.setProperty("--done", `${(100 * elapsed) / item.seconds}%`);
    }
    text($("elapsed"), clock(elapsed));
    text($("total"), item.live ? "live" : item.seconds ? clock(item.seconds) : "");
    follow(elapsed);
  }

  function update() {
    const { status, modes, volume } = programme.state;
    const item = status.current;
    const mayCommand = tutti.may("command");
    text($("title"), item ? item.title : "Nothing is playing");
    text($("artist"), item?.artist ?? "");
    text($("album"), item?.album ?? "");
    const { next } = status;
    text($("upcoming"), next ? `Next: ${next.title}${next.artist ? ` – ${next.artist}` : ""}` : "");
    show($("progress"), Boolean(item));
    show(seek, Boolean(item?.seconds));
    seek.max = item?.seconds ?? 0;
    seek.disabled = !mayCommand;
    show($("transport"), mayCommand);
    show($("group"), mayCommand);
    for (const id of ["back", "forth"]) show($(id), mayCommand && !item?.live);
    const isPlaying = status.transport === "playing";
    setIcon($("toggle"), isPlaying ? "pause" : "play");
    set($("toggle"), "aria-label", isPlaying ? "Pause" : "Play");
    set($("shuffle-button"), "aria-pressed", modes.shuffle);
    set($("repeat-button"), "aria-label", REPEATS[modes.repeat]?.[1] ?? "Repeat");
    $("repeat-button").classList.toggle("on", modes.repeat !== "off");
    text($("repeat-button").lastChild, modes.repeat === "one" ? "1" : "");
    setMuted($("group-mute"), volume.muted);
    setVolume(volume.level);
    if (isChosen) wanted = null;
    change(item);
    tick();
  }

  /** Takes another song, once. */
  function change(item) {
    const key = item ? `${item.id} ${item.title}` : "";
    // What failed is tried again.
    if (key === shown.key) {
      // That there is a picture may become known after it was shown.
      if (item?.picture && tutti.artwork) shown.picture = item.picture;
      if (item?.picture !== shown.picture) loadCover(item, key);
      return item && !shown.lyrics ? tutti.loadLyrics() : undefined;
    }
    shown = { key, lyrics: null };
    clearTimeout(release);
    wanted = null;
    document.title = item ? `${item.title} – ${programme.state.broadcaster}` : programme.state.broadcaster;
    if (item) text($("now"), `Now: ${item.title}${item.artist ? ` by ${item.artist}` : ""}`);
    loadCover(item, key);
    words.replaceChildren();
    tutti.loadLyrics();
  }

  function loadCover(item, key) {
    const image = $("artwork");
    tutti.artwork = "";
    shown.picture = item?.picture;
    // What is known to have no picture is not asked for one: browsers complain of each that is missing.
    if (!item || item.picture === false) return show(image, false);
    const next = new Image();
    // Shown when it is complete: the one before stays until then.
    next.onload = () => {
      if (shown.key !== key) return;
      image.src = tutti.artwork = next.src;
      show(image, true);
      tutti.onartwork?.();
    };
    next.onerror = () => shown.key === key && show(image, false);
    next.src = `/api/v1/items/${item.id}/artwork?ticket=${tutti.ticket}`;
  }

  /** Asks for the lyrics of what plays, when somebody looks at them. */
  tutti.loadLyrics = async () => {
    const { current } = programme.state?.status ?? {};
    const asked = shown;
    if (!tutti.isOpen("lyrics") || asked.lyrics) return;
    show(words, false);
    if (!current) return text($("lyrics-note"), "Nothing is playing.");
    asked.lyrics = { lines: [], isTimed: false };
    text($("lyrics-note"), "Looking for the lyrics…");
    const answer = await tutti.connection.request({ lyrics: { item: current.id } }).catch((error) => error);
    if (asked !== shown) return;
    const found = answer.lyrics?.text;
    if (answer instanceof Error) asked.lyrics = null;
    text($("lyrics-note"), answer instanceof Error ? answer.message : found ? "" : "This song has no lyrics.");
    show(words, Boolean(found));
    if (!found) return;
    asked.lyrics = parseLyrics(found);
    words.replaceChildren(...asked.lyrics.lines.map((line) => make("p", { textContent: line.text || " " })));
    words.scrollTop = 0;
    tick();
  };

  /** Marks the line that is sung. */
  function follow(elapsed) {
    const lyrics = shown.lyrics;
    if (!lyrics?.isTimed) return;
    const line = words.children[lineAt(lyrics.lines, elapsed)];
    const former = words.querySelector("[aria-current]");
    if (line === (former ?? undefined)) return;
    former?.removeAttribute("aria-current");
    line?.setAttribute("aria-current", "true");
    if (line && document.activeElement !== words) {
      const top = line.offsetTop + (line.clientHeight - words.clientHeight) / 2;
      words.scrollTo({ top, behavior: tutti.scrolling() });
    }
  }

  return { update, tick };
}
