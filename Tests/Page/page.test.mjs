import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

const folder = new URL("../../Sources/App/WebPage/page/", import.meta.url);
const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), "utf8") }));
const page = files.find(({ name }) => name === "index.html").text;

test("texts of peers never become markup, and nothing is kept in cookies", () => {
  const forbidden = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|document\.cookie/;
  for (const { name, text } of files) assert.doesNotMatch(text, forbidden, name);
});

test("nothing is asked for elsewhere, and nothing stands in the page that its policy forbids", () => {
  const elsewhere = /(src|href|from|import|url\()[\s=("']*(https?:)?\/\//;
  for (const { name, text } of files) assert.doesNotMatch(text, elsewhere, name);
  assert.doesNotMatch(page, /\sstyle=|\son\w+=|<script(?![^>]*src=)|<style/);
});

test("every element that the code names is there, once", () => {
  const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(ids.filter((id, i) => ids.indexOf(id) !== i), []);
  for (const { name, text } of files) {
    for (const [, id] of text.matchAll(/\$\("([^"]+)"\)/g)) assert.ok(ids.includes(id), `${name}: ${id}`);
  }
  const named = page.matchAll(/(?:aria-labelledby|aria-controls|for)="([^"]+)"/g);
  for (const [, id] of named) assert.ok(ids.includes(id), id);
});

test("every class that the style sheet names is used", () => {
  const style = files.find(({ name }) => name === "style.css").text.replace(/\/\*[^]*?\*\//g, "");
  const classes = new Set([...style.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name));
  const code = files.filter(({ name }) => name !== "style.css").map(({ text }) => text).join("\n");
  const given = /class="([^"]*)"|className: "([^"]*)"|classList\.\w+\("([^"]*)"/g;
  const used = new Set([...code.matchAll(given)].flatMap(([, ...names]) => names.join(" ").split(" ")));
  assert.deepEqual([...classes].filter((name) => !used.has(name)), []);
});
