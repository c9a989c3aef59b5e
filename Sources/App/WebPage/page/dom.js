// Small helpers: everything writes only what has changed, and peers' texts only as text.

/** @returns {HTMLElement} */
export const $ = (id) => document.getElementById(id);

export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

export function set(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** @param {object} properties of the node; `aria-...` and `role` are set as attributes */
export function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children);
  return node;
}

/** @param {string} name of a symbol of index.html */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.append(document.createElementNS(svg.namespaceURI, "use"));
  setIcon(svg, name);
  set(svg, "aria-hidden", "true");
  return svg;
}

export function setIcon(parent, name) { set(parent.querySelector("use"), "href", `#${name}`); }

/** Shows on a button that mutes whether it does. */
export function setMuted(button, isMuted) {
  set(button, "aria-pressed", isMuted);
  setIcon(button, isMuted ? "silent" : "sound");
}

/** Makes a list's rows those of the items: rows that stay are kept, and the focus with them. */
export function fill(list, items, key = String, makeRow = undefined, update = undefined) {
  const rows = (list.rows ??= new Map());
  const keys = new Set(items.map(key));
  for (const [old, row] of rows) {
    if (keys.has(old)) continue;
    row.remove();
    rows.delete(old);
  }
  const focused = document.activeElement;
  let place = list.firstElementChild;
  for (const item of items) {
    let row = rows.get(key(item));
    if (!row) rows.set(key(item), (row = makeRow(item)));
    if (row === place) place = row.nextElementSibling;
    else list.insertBefore(row, place);
    update?.(row, item);
  }
  if (focused !== document.activeElement && list.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * A range that sends while it is moved, ten times a second, and is moved by what comes meanwhile a little later. An
 * output behind it shows its value.
 */
export function slider(input, reading, send) {
  let isSending = false;
  let touched = -Infinity;
  const paint = () => {
    const value = Number(input.value);
    input.style.setProperty("--done", `${(100 * (value - input.min)) / (input.max - input.min || 1)}%`);
    set(input, "aria-valuetext", reading(value));
    if (input.nextElementSibling?.localName === "output") text(input.nextElementSibling, input.value);
  };
  let later = 0;
  const put = (value) => {
    if (Number(input.value) !== value || !input.hasAttribute("aria-valuetext")) {
      input.value = value;
      paint();
    }
  };
  input.addEventListener("input", () => {
    clearTimeout(later);
    touched = performance.now();
    paint();
    if (isSending) return;
    isSending = true;
    setTimeout(() => {
      isSending = false;
      send(Number(input.value));
    }, 100);
  });
  return (value) => {
    const rest = touched + 1_000 - performance.now();
    clearTimeout(later);
    if (rest > 0) later = setTimeout(put, rest, value);
    else put(value);
  };
}

/** `1:23`, `1:02:03` */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return (minutes < 60 ? minutes : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`) + `:${two(whole % 60)}`;
}

const fixed = (value, digits) => value.toFixed(digits).replace("-", "−");

/** `420 µs`, `1.2 ms` */
export function span(microseconds) {
  return Math.abs(microseconds) < 1_000 ? `${fixed(microseconds, 0)} µs` : `${fixed(microseconds / 1_000, 1)} ms`;
}

/** `+120 ± 300 µs`, `−1.2 ± 0.4 ms` */
export function within(error, bound) {
  const isSmall = Math.max(Math.abs(error), bound) < 1_000;
  const [unit, scale, digits] = isSmall ? ["µs", 1, 0] : ["ms", 1_000, 1];
  return `${error < 0 ? "" : "+"}${fixed(error / scale, digits)} ± ${fixed(bound / scale, digits)} ${unit}`;
}

/** `1 song`, `1,200 songs` */
export const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/** What this browser remembers; a browser may forbid it. */
export const memory = {
  get(name, store = "localStorage") {
    try { return globalThis[store].getItem(`tutti.${name}`); } catch { return null; }
  },
  set(name, value, store = "localStorage") {
    try {
      if (value === null) globalThis[store].removeItem(`tutti.${name}`);
      else globalThis[store].setItem(`tutti.${name}`, value);
    } catch { /* then it is not remembered */ }
  },
};
