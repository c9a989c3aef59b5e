// The queue: a hundred songs at a time, moved by dragging, by keys and by buttons.

import { $, clock, counted, fill, icon, make, set, show, text } from "./dom.js";

const PART = 100;
/** Pixels from an edge of the window where dragging scrolls. */
const EDGE = 70;

/** @param {typeof import("./app.js").tutti} tutti */
export function queueView(tutti) {
  const { programme } = tutti;
  const { queue } = programme;
  const list = $("queue-list");
  let from = 0;
  /** Whether the part with what plays is shown, whatever plays. */
  let isFollowing = true;
  let isAsking = false;
  let retry = 0;
  let drag = null;
  let openRow = null;
  let mayCommand = null;

  const currentIndex = () => queue.indexOf(programme.state?.status.current?.id);
  const turn = (to) => {
    isFollowing = false;
    from = to;
    update();
    $("queue-count").scrollIntoView({ block: "nearest" });
  };
  $("earlier").onclick = () => turn(Math.max(0, from - PART));
  $("later").onclick = () => turn(from + PART);
  $("queue-current").onclick = () => {
    isFollowing = true;
    update();
    list.querySelector("[aria-current]")?.scrollIntoView({ block: "center", behavior: tutti.scrolling() });
  };
  let calm = 0;
  $("queue-clear").onclick = ({ currentTarget: button }) => {
    // The first press asks, the second one does it.
    const isSure = Boolean(button.dataset.asks);
    const ask = (asks) => {
      text(button, asks ? "Empty it all?" : "Empty");
      button.dataset.asks = asks ? "1" : "";
    };
    clearTimeout(calm);
    ask(!isSure);
    if (isSure) tutti.command({ clear: {} });
    else calm = setTimeout(() => ask(false), 4_000);
  };

  /** Asks for what is to be shown, a piece at a time. */
  async function ask() {
    if (isAsking) return;
    isAsking = true;
    try {
      for (let rounds = 0; rounds < 2_000; rounds++) {
        const isSought = isFollowing && programme.state.status.current && currentIndex() < 0;
        const piece = queue.lacking(from, from + PART) ?? (isSought ? queue.lacking(0, queue.count) : null);
        if (!piece) break;
        const { version } = queue;
        const answer = await tutti.connection.request({ queue: piece });
        const isMoving = queue.take(answer.queue, version);
        draw();
        if (!isMoving) break;
      }
    } catch {
      // The broadcaster may be busy, and nothing may change for hours.
      clearTimeout(retry);
      retry = setTimeout(update, 3_000);
    }
    isAsking = false;
  }

  function update() {
    if (drag || !programme.state) return;
    draw();
    if (tutti.connection.isOpen) ask();
  }

  function draw() {
    if (drag) return;
    const current = currentIndex();
    if (isFollowing && current >= 0) from = current - (current % PART);
    from = Math.max(0, Math.min(from, queue.count - 1 - ((queue.count - 1) % PART)));
    if (mayCommand !== tutti.may("command")) {
      mayCommand = tutti.may("command");
      fill(list, []);
    }
    const part = [];
    for (let i = from; i < Math.min(from + PART, queue.count); i++) {
      const item = queue.at(i);
      if (item) part.push({ item, i });
    }
    fill(list, part, ({ item }) => item.id, makeRow, updateRow);
    set(list, "start", from + 1);
    text($("queue-count"), queue.count ? counted(queue.count, "song") : "The queue is empty");
    show($("queue-clear"), mayCommand && queue.count > 0);
    show($("queue-current"), current >= 0 && (current < from || current >= from + PART));
    show($("pager"), queue.count > PART);
    text($("part"), `${from + 1} to ${Math.min(from + PART, queue.count)}`);
    $("earlier").disabled = from === 0;
    $("later").disabled = from + PART >= queue.count;
  }

  function makeRow({ item }) {
    const label = [make("span", { className: "number" }), make("span", { className: "names" },
      make("span", { className: "song" }), make("span", { className: "faint" })), make("span", { className: "faint" })];
    const row = make("li", { className: "item" });
    if (!mayCommand) {
      row.append(make("div", { className: "label" }, ...label));
      return row;
    }
    const grip = make("button", { className: "icon grip" }, icon("grip"));
    grip.onpointerdown = (event) => beginDrag(event, row);
    grip.onkeydown = (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      move(row, row.index + step, grip);
    };
    const button = make("button", { className: "label", "aria-expanded": false }, ...label);
    button.onclick = () => toggle(row);
    button.ondblclick = () => tutti.command({ jump: { item: item.id } });
    row.append(grip, button);
    return row;
  }

  function updateRow(row, { item, i }) {
    Object.assign(row, { index: i, item });
    const label = row.querySelector(".label");
    const [number, names, length] = label.children;
    const isCurrent = item.id === programme.state.status.current?.id;
    text(number, `${i + 1}`);
    text(names.firstChild, item.title);
    text(names.lastChild, item.failed ? "cannot be played" : item.artist ?? "");
    text(length, item.live ? "live" : item.seconds ? clock(item.seconds) : "");
    row.classList.toggle("failed", item.failed);
    if (isCurrent) set(row, "aria-current", "true");
    else row.removeAttribute("aria-current");
    const grip = row.querySelector(".grip");
    if (grip) set(grip, "aria-label", `Move ${item.title}: arrow up, arrow down, or drag`);
  }

  /** Shows or hides what can be done with a song. */
  function toggle(row) {
    const isOpening = row !== openRow;
    if (openRow) {
      openRow.querySelector(".actions")?.remove();
      set(openRow.querySelector(".label"), "aria-expanded", false);
    }
    openRow = isOpening ? row : null;
    if (!isOpening) return;
    const act = (name, action) => make("button", { textContent: name, onclick: action });
    const place = () => Math.max(0, currentIndex() + (currentIndex() > row.index ? 0 : 1));
    row.append(make("div", { className: "actions buttons", role: "group", "aria-label": row.item.title },
      act("Play now", () => tutti.command({ jump: { item: row.item.id } })),
      act("Play next", () => move(row, place())),
      act("Up", () => move(row, row.index - 1)),
      act("Down", () => move(row, row.index + 1)),
      act("Remove", () => {
        const follower = row.nextElementSibling ?? row.previousElementSibling;
        follower?.querySelector(".label").focus();
        tutti.command({ remove: { items: [row.item.id] } });
      })));
    set(row.querySelector(".label"), "aria-expanded", true);
  }

  async function move(row, to, focus = null) {
    const { index, item } = row;
    if (to < 0 || to >= queue.count || to === index) return update();
    queue.expectMove(index, to);
    if (to < from || to >= from + PART) {
      isFollowing = false;
      from = to - (to % PART);
    }
    draw();
    if (focus) list.rows.get(item.id)?.querySelector(".grip").focus();
    tutti.tell(`${item.title}: ${to + 1} of ${queue.count}`);
    if (!(await tutti.command({ move: { item: item.id, position: to } }))) queue.forget();
    update();
  }

  // Dragging

  function beginDrag(event, row) {
    if (event.button !== 0 || drag) return;
    const { currentTarget: grip, pointerId, clientY } = event;
    grip.setPointerCapture(pointerId);
    if (openRow) toggle(openRow);
    const rows = [...list.children];
    const middles = rows.map((r) => r.getBoundingClientRect().top + scrollY + r.offsetHeight / 2);
    const first = rows.indexOf(row);
    drag = { row, rows, middles, start: clientY + scrollY, at: clientY, first, to: first };
    row.classList.add("dragged");
    // Of several fingers only the first one drags.
    const mine = (action) => (other) => { if (other.pointerId === pointerId) action(other); };
    grip.onpointermove = mine((moved) => { drag.at = moved.clientY; });
    grip.onpointerup = mine((last) => {
      drag.at = last.clientY;
      endDrag(grip, true);
    });
    // Also when the page hides what is dragged.
    grip.onpointercancel = grip.onlostpointercapture = mine(() => endDrag(grip, false));
    requestAnimationFrame(follow);
  }

  /** How far the song has been dragged, in pixels; notes where it would be dropped. */
  function dragged() {
    const { middles, first } = drag;
    const way = drag.at + scrollY - drag.start;
    drag.to = middles.filter((middle, i) => i !== first && middle < middles[first] + way).length;
    return way;
  }

  function follow() {
    if (!drag) return;
    const { row, rows, at, first } = drag;
    if (at < EDGE) scrollBy(0, (at - EDGE) / 5);
    if (at > innerHeight - EDGE) scrollBy(0, (at - innerHeight + EDGE) / 5);
    const way = dragged();
    rows.forEach((other, i) => {
      const isPassed = i > first ? i <= drag.to : i >= drag.to;
      const shift = isPassed ? (i > first ? -1 : 1) * row.offsetHeight : 0;
      other.style.transform = `translateY(${other === row ? way : shift}px)`;
    });
    requestAnimationFrame(follow);
  }

  function endDrag(grip, isDropped) {
    grip.onpointermove = grip.onpointerup = grip.onpointercancel = grip.onlostpointercapture = null;
    // Nothing may have been drawn since the pointer moved.
    dragged();
    const { row, rows, first, to } = drag;
    drag = null;
    row.classList.remove("dragged");
    for (const other of rows) other.style.transform = "";
    // Others may have edited the queue meanwhile.
    row.index = queue.indexOf(row.item.id);
    if (isDropped && to !== first && row.index >= 0) move(row, row.index + to - first);
    else update();
  }

  return { update };
}
