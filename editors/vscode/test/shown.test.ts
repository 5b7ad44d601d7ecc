// Diagrams as pages, and what the package says about itself.

import assert from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import test from "node:test";

import { page } from "../src/shown";

const root = path.join(__dirname, "..", "..");

test("a page shows the picture and allows no scripts", () => {
  const text = page({ title: "a<b", svg: "<svg></svg>" });
  assert.ok(text.includes("<svg></svg>"));
  assert.ok(text.includes("<title>a&lt;b</title>"));
  assert.ok(text.includes("default-src 'none'"));
});

test("everything that the package names is there", () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  assert.ok(fs.existsSync(path.join(root, manifest.main)));
  for (const grammar of manifest.contributes.grammars) {
    const text = JSON.parse(fs.readFileSync(path.join(root, grammar.path), "utf8"));
    assert.strictEqual(text.scopeName, grammar.scopeName);
  }
});
