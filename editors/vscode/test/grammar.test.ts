// Blocks are colored without a server: the grammar is injected into one of C, here a small one.

import assert from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import test from "node:test";
import * as oniguruma from "vscode-oniguruma";
import * as textmate from "vscode-textmate";

const root = path.join(__dirname, "..", "..");

const C = {
  scopeName: "source.c",
  patterns: [
    { name: "comment.block.c", begin: "/\\*", end: "\\*/" },
    { name: "comment.line.c", match: "//.*$" },
    { name: "string.quoted.double.c", begin: '"', end: '"' },
    { name: "keyword.control.c", match: "\\breturn\\b" },
  ],
};

async function registry(): Promise<textmate.Registry> {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const injected = path.join(root, "syntaxes", "chorex.tmLanguage.json");
  return new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      scope === "source.c"
        ? textmate.parseRawGrammar(JSON.stringify(C), "c.json")
        : textmate.parseRawGrammar(fs.readFileSync(injected, "utf8"), injected),
    getInjections: (scope) => (scope === "source.c" ? ["source.chorex.injection"] : []),
  });
}

let grammar: textmate.IGrammar;

// The innermost scope of each word of a text.
function scopes(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let stack: textmate.StateStack = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      const word = line.slice(token.startIndex, token.endIndex).trim();
      if (word !== "") {
        found.set(word, token.scopes[token.scopes.length - 1]);
      }
    }
  }
  return found;
}

test.before(async () => {
  const loaded = await (await registry()).loadGrammar("source.c");
  assert.ok(loaded !== null);
  grammar = loaded;
});

const SHOP = `// choreography(not, (A, B), def no() {})
choreography(shop, (Buyer, Seller),
    int Seller.get_price(const char *title); // a comment
    def run(Buyer.const char *title) -> Buyer.int {
        Buyer.title ~> Seller.book;
        if (Buyer.(price < 10)) notify(Seller) {
            pay(Buyer.price, "text)");
        }
        checkpoint { Buyer.x = 1; } rescue { }
    }
)
int main(void) { return 0; }`;

test("words of a block have scopes", () => {
  const found = scopes(SHOP);
  for (const [word, scope] of [
    ["choreography", "keyword.other.choreography"],
    ["shop", "entity.name.namespace.choreography"],
    ["def", "storage.type.function.choreography"],
    ["run", "entity.name.function.choreography"],
    ["Seller", "entity.name.type.role.choreography"],
    ["get_price", "entity.name.function.member.choreography"],
    ["~>", "keyword.operator.deliver.choreography"],
    ["if", "keyword.control.choreography"],
    ["notify", "keyword.other.choreography"],
    ["checkpoint", "keyword.control.choreography"],
    ["rescue", "keyword.control.choreography"],
    ["pay", "entity.name.function.call.choreography"],
    ["10", "constant.numeric.choreography"],
    ["text)", "string.quoted.double.choreography"],
    ["// a comment", "comment.line.double-slash.choreography"],
  ]) {
    assert.strictEqual(found.get(word), scope, word);
  }
});

test("what stands in a comment is none, and C begins again behind the block", () => {
  const found = scopes(SHOP);
  assert.strictEqual(found.get("// choreography(not, (A, B), def no() {})"), "comment.line.c");
  assert.strictEqual(found.get("return"), "keyword.control.c");
});

test("blocks of all examples end where they should", () => {
  const examples = path.join(root, "..", "..", "examples");
  let count = 0;
  for (const folder of fs.readdirSync(examples)) {
    if (!fs.statSync(path.join(examples, folder)).isDirectory()) {
      continue;
    }
    for (const name of fs.readdirSync(path.join(examples, folder))) {
      if (!/\.(c|h|chor)$/.test(name)) {
        continue;
      }
      const text = fs.readFileSync(path.join(examples, folder, name), "utf8");
      if (!text.includes("choreography(")) {
        continue;
      }
      count++;
      let stack: textmate.StateStack = textmate.INITIAL;
      for (const line of text.split("\n")) {
        stack = grammar.tokenizeLine(line, stack).ruleStack;
      }
      const last = grammar.tokenizeLine("end", stack).tokens[0].scopes;
      assert.deepStrictEqual(last, ["source.c"], `${folder}/${name}`);
    }
  }
  assert.ok(count > 20);
});
