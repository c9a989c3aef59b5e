// Ties the page together: one connection, one programme, and the views of it.

import { Connection } from "./connection.js";
import { $, memory, set, show, text } from "./dom.js";
import { listenersView, ownListener } from "./listeners.js";
import { player } from "./player.js";
import { queueView } from "./queue.js";
import { songsView } from "./songs.js";
import { Programme } from "./state.js";

/** What all views share. */
export const tutti = {
  programme: new Programme(),
  connection: null,
  rights: [],
  ticket: "",
  instance: "",
  name: memory.get("name") || defaultName(),

  may: (right) => tutti.rights.includes(right),
  isOpen: (tab) => !$(tab).hidden,
  scrolling: () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"),

  /** @returns {Promise<boolean>} whether it was done; says so where it was not */
  async command(command, success = "") {
    try {
      tutti.tell((await tutti.connection.command(command)) || success);
      return true;
    } catch (error) {
      tutti.tell(error.message);
      return false;
    }
  },

  /** Shows a line for a few seconds. */
  tell(line) {
    if (!line) return;
    clearTimeout(tutti.told);
    text($("toast"), line);
    tutti.told = setTimeout(() => text($("toast"), ""), 5_000);
  },
};

/** @returns {() => void} what does it once, a little later, however often it is called until then */
function soon(action, delay) {
  let timer = 0;
  return () => {
    timer ||= setTimeout(() => {
      timer = 0;
      action();
    }, delay);
  };
}

function defaultName() {
  const agent = navigator.userAgent;
  const find = (pairs) => pairs.find(([pattern]) => pattern.test(agent))?.[1];
  const phone = find([[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android.*Mobile/, "Phone"], [/Android/, "Tablet"]]);
  const browser = find([[/Firefox/, "Firefox"], [/Edg/, "Edge"], [/Chrom/, "Chrome"], [/Safari/, "Safari"]]);
  const system = find([[/Windows/, "Windows"], [/Mac OS/, "Mac"], [/CrOS/, "ChromeOS"], [/Linux/, "Linux"]]);
  const kind = phone ?? ([browser, system].filter(Boolean).join(" on ") || "Browser");
  // Two of a kind are told apart.
  const name = `${kind} ${10 + Math.floor(90 * Math.random())}`;
  memory.set("name", name);
  return name;
}

// Phases

const WAITING = ["code", "refused", "impostor"];
const HELP = "Ask for a code: “tutti guests add” on the machine that plays shows one to scan.";
const GATES = {
  connecting: ["Connecting", ""],
  code: ["A code is needed", HELP],
  refused: ["You were not let in", ""],
  impostor: ["Another machine answers", "What answers at this address does not know your code, and this page sends it "
    + "nothing more. Ask for the address again: “tutti guests add” on the machine that plays shows it."],
  over: ["The broadcast is over", "This page waits for the next one."],
  unsupported: ["This browser cannot follow", "It has no WebSockets. Use a newer browser, or allow WebSockets if "
    + "something blocks them."],
};

function showPhase({ name, text: detail = "", isOpen = false }) {
  const [title, help] = GATES[name] ?? ["", ""];
  const line = name === "code" ? `${detail} plays for its household and its guests.` : detail;
  const isShown = name === "open" || (name === "lost" && tutti.programme.state !== null);
  show($("stage"), isShown);
  show($("gate"), !isShown);
  text($("phase"), name === "lost" ? "Connection lost: trying again…" : "");
  text($("gate-title"), name === "lost" ? "No connection" : title);
  text($("gate-text"), name === "lost" ? "Nothing answers at this address. This page keeps trying." : line);
  text($("gate-help"), name === "refused" && tutti.connection.isGuest ? HELP : help);
  show($("gate-help"), Boolean($("gate-help").textContent));
  show($("gate-retry"), WAITING.includes(name));
  show($("gate-codeless"), isOpen);
}

function showTabs() {
  show($("tab-songs"), tutti.may("add"));
  if (!tutti.may("add") && tutti.isOpen("songs")) openTab("queue");
}

const tabs = ["queue", "songs", "listeners", "lyrics"];
function openTab(name) {
  for (const tab of tabs) {
    const button = $(`tab-${tab}`);
    set(button, "aria-selected", tab === name);
    button.tabIndex = tab === name ? 0 : -1;
    show($(tab), tab === name);
  }
  tutti.loadLyrics?.();
  tutti.showListeners?.();
}

function start() {
  for (const svg of document.querySelectorAll("svg")) set(svg, "aria-hidden", "true");
  openTab("queue");
  for (const tab of tabs) $(`tab-${tab}`).onclick = () => openTab(tab);
  document.querySelector("[role=tablist]").onkeydown = ({ key }) => {
    const shown = tabs.filter((tab) => !$(`tab-${tab}`).hidden);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    const next = shown[(shown.findIndex(tutti.isOpen) + step + shown.length) % shown.length];
    openTab(next);
    $(`tab-${next}`).focus();
  };
  if (!("WebSocket" in globalThis)) return showPhase({ name: "unsupported" });

  const [view, queue, listeners, own] = [player(tutti), queueView(tutti), listenersView(tutti), ownListener(tutti)];
  songsView(tutti);
  tutti.programme.measured = own.session;
  tutti.onartwork = own.update;

  // Much may come at once, and each of hundreds of listeners twice a second.
  const draw = { player: soon(view.update, 16), queue: soon(queue.update, 16), listeners: soon(listeners.update, 250),
    own: soon(own.update, 16) };
  const DRAWN = {
    status: ["player", "queue", "own"], modes: ["player"], volume: ["player"], item: ["player", "queue", "own"],
    queue: ["queue"], listener: ["listeners"], gone: ["listeners"], state: Object.keys(draw),
  };
  const code = location.hash.slice(1) || memory.get("code", "sessionStorage") || "";
  memory.set("code", code || null, "sessionStorage");
  tutti.connection = new Connection({
    url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/events`,
    name: tutti.name,
    code,
    open: (url) => new WebSocket(url),
    onphase(phase) {
      if (WAITING.includes(phase.name)) own.leave();
      if (phase.name !== "open") tutti.programme.lose();
      showPhase(phase);
    },
    onjoined(joined, hello) {
      tutti.programme.lose();
      Object.assign(tutti, { rights: joined.rights, ticket: joined.ticket, instance: joined.instance });
      // Another browser may have the same name: this one has a number then.
      $("own-name").value = tutti.name = joined.name ?? tutti.name;
      text($("name"), hello.name);
      show($("path"), tutti.connection.isGuest && location.protocol === "http:");
      showTabs();
      own.join(joined);
    },
    onevent(kind, value) {
      let part = kind;
      if (kind === "change") part = tutti.programme.takeChange(value);
      else tutti.programme.takeState(value, performance.now());
      for (const name of DRAWN[part] ?? []) draw[name]();
    },
  });
  tutti.connection.restart();

  $("gate-retry").onclick = () => tutti.connection.restart();
  const change = (code) => {
    memory.set("code", code || null, "sessionStorage");
    tutti.connection.restart({ code });
  };
  $("gate-codeless").onclick = () => {
    history.replaceState(null, "", location.pathname);
    change("");
  };
  addEventListener("hashchange", () => change(location.hash.slice(1)));
  addEventListener("online", () => tutti.connection.wake());
  addEventListener("pageshow", ({ persisted }) => persisted && tutti.connection.wake());
  document.addEventListener("visibilitychange", () => document.hidden || tutti.connection.wake());
  setInterval(() => document.hidden || view.tick(), 250);

  document.addEventListener("keydown", (event) => {
    const isFree = !document.activeElement || document.activeElement === document.body;
    if (!isFree || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !tutti.may("command")) return;
    const command = {
      " ": { toggle: {} }, ArrowLeft: { skip: { seconds: -10 } }, ArrowRight: { skip: { seconds: 10 } },
    }[event.key];
    if (!command || $("stage").hidden) return;
    event.preventDefault();
    // A key that is held skips on, but does not play and pause in turns.
    if (!event.repeat || !command.toggle) tutti.command(command);
  });
}

start();
