/** A document, as far as a list of the page and its rows use one. Each child of a list is `ROW` pixels high. */
export const ROW = 50;

class FakeElement {
  parent = null;
  nodes = [];
  attributes = new Map();
  style = { setProperty() {} };
  dataset = {};
  hidden = false;
  offsetHeight = ROW;
  #classes = new Set();
  #text = "";

  constructor(name) {
    this.localName = name;
    this.classList = {
      add: (one) => this.#classes.add(one), remove: (one) => this.#classes.delete(one),
      contains: (one) => this.#classes.has(one),
      toggle: (one, isOn) => (isOn ? this.#classes.add(one) : this.#classes.delete(one)),
    };
  }

  get className() { return [...this.#classes].join(" "); }
  set className(names) { this.#classes = new Set(names.split(" ")); }
  get textContent() { return this.#text + this.nodes.map((node) => node.textContent).join(""); }
  set textContent(text) { [this.#text, this.nodes] = [text, []]; }
  get children() { return this.nodes; }
  get firstElementChild() { return this.nodes[0] ?? null; }
  get firstChild() { return this.nodes[0] ?? null; }
  get lastChild() { return this.nodes.at(-1) ?? null; }
  get nextElementSibling() { return this.parent?.nodes[this.parent.nodes.indexOf(this) + 1] ?? null; }
  get previousElementSibling() { return this.parent?.nodes[this.parent.nodes.indexOf(this) - 1] ?? null; }

  append(...nodes) { for (const node of nodes) this.insertBefore(node, null); }
  insertBefore(node, place) {
    node.remove();
    node.parent = this;
    this.nodes.splice(place ? this.nodes.indexOf(place) : this.nodes.length, 0, node);
  }
  remove() {
    if (this.parent) this.parent.nodes = this.parent.nodes.filter((node) => node !== this);
    this.parent = null;
  }
  contains(node) { return node === this || this.nodes.some((one) => one.contains(node)); }

  getAttribute(name) { return this.attributes.get(name) ?? null; }
  setAttribute(name, value) { this.attributes.set(name, String(value)); }
  removeAttribute(name) { this.attributes.delete(name); }

  /** By one class, tag or attribute. */
  querySelector(selector) {
    for (const node of this.nodes) {
      const found = node.#is(selector) ? node : node.querySelector(selector);
      if (found) return found;
    }
    return null;
  }
  #is(selector) {
    if (selector.startsWith(".")) return this.#classes.has(selector.slice(1));
    return selector.startsWith("[") ? this.attributes.has(selector.slice(1, -1)) : this.localName === selector;
  }

  getBoundingClientRect() {
    return { top: (this.parent?.nodes.indexOf(this) ?? 0) * ROW - globalThis.scrollY, height: ROW };
  }
  focus() { globalThis.document.activeElement = this; }
  scrollIntoView() {}

  // Pointers

  /** The pointers whose events come here wherever they are. */
  captured = new Set();
  setPointerCapture(id) { this.captured.add(id); }

  /** An event as the browser gives it; a pointer that goes up or is cancelled is captured no more, and that is told. */
  point(kind, clientY, { pointerId = 1, button = 0 } = {}) {
    const event = { pointerId, button, clientY, currentTarget: this, preventDefault() {} };
    this[`onpointer${kind}`]?.(event);
    if ((kind === "up" || kind === "cancel") && this.captured.delete(pointerId)) this.onlostpointercapture?.(event);
  }
}

/** Makes the globals of a page, for one test. @returns the document, with `frame()`, which runs what waits for one */
export function fakeDocument(t) {
  const ids = new Map();
  let waiting = [];
  const names = ["document", "scrollX", "scrollY", "innerHeight", "scrollBy", "requestAnimationFrame"];
  const before = names.map((name) => [name, globalThis[name]]);
  t.after(() => { for (const [name, value] of before) globalThis[name] = value; });
  const document = {
    activeElement: null,
    getElementById: (id) => ids.get(id) ?? ids.set(id, new FakeElement("div")).get(id),
    createElement: (name) => new FakeElement(name),
    createElementNS: (_, name) => new FakeElement(name),
    frame() {
      const due = waiting;
      waiting = [];
      for (const body of due) body();
    },
  };
  Object.assign(globalThis, {
    document, scrollY: 0, innerHeight: 800, scrollBy: (_, y) => { globalThis.scrollY = Math.max(0, globalThis.scrollY + y); },
    requestAnimationFrame: (body) => waiting.push(body),
  });
  return document;
}
