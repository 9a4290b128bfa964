import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plantedSecrets } from "../../../../test/support/samples/planted-secrets.ts";
import { exported, PIXEL, sampleStore } from "../../../../test/support/samples/sample-conversation.ts";
import { openStore } from "../../../store/open.ts";
import type { Store } from "../../../store/store.ts";

let store: Store;
let id: string;
beforeAll(async () => {
  ({ store, id } = await sampleStore());
});
afterAll(() => store.close());

describe("HTML", () => {
  it("allows its own style by hash, pictures in it, and nothing else", async () => {
    const text = await exported(store, id, { to: "html" });
    const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(text).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:">`,
    );
    expect(text).not.toMatch(/<script|<link|\son\w+=|javascript:|https?:\/\//i);
    expect(style).toContain("prefers-color-scheme:dark");
  });

  it("shows messages, tools, thinking, pictures and the compaction", async () => {
    const text = await exported(store, id, { to: "html", branch: "main" });
    expect(text).toContain("<title>A *sample*</title>");
    expect(text).toContain('<article id="e2" class="user"><h3>User</h3>');
    expect(text).toContain("<details><summary>Thinking</summary>");
    expect(text).toContain(
      "Tool call: read</summary>\n<pre>{\n  &quot;path&quot;: &quot;a.txt&quot;\n}</pre>",
    );
    expect(text).toContain('<span class="bad">Tool failed</span>: list');
    expect(text).toContain(`<img src="data:image/png;base64,${PIXEL}" alt="image, image/png, 70 bytes">`);
    expect(text).toContain("They looked at a file.");
    expect(balance(text)).toEqual([]);
  });

  it("draws the tree with links to where branches leave", async () => {
    const text = await exported(store, id, { to: "html", allBranches: true });
    const targets = [...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    for (const target of targets) expect(text.split(`id="${target}"`)).toHaveLength(2);
    expect(text).toContain('<nav aria-label="Branches">');
    expect(text).toContain("<h2>Branch again</h2>");
    expect(text.split("Something else")).toHaveLength(2);
    expect(balance(text)).toEqual([]);
  });

  const hostile = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" x="',
    "' autofocus onfocus='alert(1)",
    "</pre></article></main><iframe srcdoc=x>",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "\u202egnp.exe",
    "\u2066\u2069\u0000\u001b[31m",
    "```\n</code></pre><script>alert(1)</script>",
    "```html\n<b>code</b>\n```\n<b>text</b>",
  ];
  it.each(hostile)("shows hostile words as words: %j", async (words) => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:hostile", {
      title: words.replace(/\p{Cc}/gu, " ").slice(0, 100),
    });
    await chat.append([
      { role: "user", content: words },
      {
        role: "assistant",
        model: words.replace(/\p{Cc}/gu, ""),
        content: [
          { type: "thinking", thinking: words },
          { type: "text", text: words },
          { type: "tool_use", id: words, name: words, input: { [words]: words } },
          { type: words, any: words },
          { type: "image", source: { type: "base64", media_type: `image/png${words}`, data: words } },
          { type: "image", source: { type: "base64", media_type: "image/png", data: `${PIXEL}${words}` } },
          { type: "image", source: { type: "url", url: `javascript:${words}` } },
          { type: "image", source: { type: "base64", media_type: "image/svg+xml", data: "PHN2Zz4=" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: words, content: words }] },
    ]);
    await chat.label((await chat.messages()).items[0]?.id as string, words.replace(/\p{Cc}/gu, " "));
    await chat.branch(null, { name: words.replace(/\p{Cc}/gu, " ") });
    const text = await exported(own, chat.id, { to: "html", allBranches: true });
    const tags = new Set(
      [...text.replace(/<style>[\s\S]*?<\/style>/, "").matchAll(/<[^>]*>/g)].map(([tag]) =>
        tag.replace(/"[^"]*"/g, '""'),
      ),
    );
    for (const tag of tags) expect(tag).toMatch(ALLOWED);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|(?!\n)\p{Cc}|<img/u);
    expect(balance(text)).toEqual([]);
  });

  it.each(["html", "markdown"] as const)("holds none of the secrets that were planted: %s", async (to) => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:leaky", { title: `Key ${plantedSecrets()[0]?.text}`.slice(0, 120) });
    const secrets = plantedSecrets();
    for (const { text } of secrets) {
      await chat.append([
        { role: "user", content: `Use this:\n${text}\nplease` },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: text },
            {
              type: "tool_use",
              id: "t",
              name: "run",
              input: { command: text, [`x ${text}`]: { id: text, from: [text] } },
            },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: `$ ${text}` }] },
      ]);
    }
    await chat.append({ role: "user", content: "the word is swordfish", id: "last" });
    const shown = await exported(own, chat.id, { to, secrets: ["swordfish"] });
    for (const { secret } of secrets) expect(shown).not.toContain(secret);
    expect(shown).not.toContain("swordfish");
    const open = await exported(own, chat.id, { to, redact: false });
    expect(open).toContain(secrets[0]?.secret);
    expect(open).toContain("swordfish");
  });

  it("removes secrets from JSON without breaking it, and only on request", async () => {
    await using own = await openStore("ephemeral:");
    const chat = await own.open("cli:leaky");
    const secret = plantedSecrets()[0]?.secret as string;
    await chat.append({
      role: "assistant",
      content: [
        {
          type: "tool_use",
          id: "t1",
          name: "login",
          input: { password: "xK9-qq2-Lmv7", [secret]: 1, note: `"${secret}"` },
        },
      ],
    });
    for (const to of ["json", "claude", "openai", "ai-sdk"] as const) {
      const text = await exported(own, chat.id, { to, redact: true });
      expect(text).not.toContain(secret);
      expect(text).not.toContain("xK9-qq2-Lmv7");
      expect(JSON.stringify(JSON.parse(text))).toContain("t1");
      expect(await exported(own, chat.id, { to })).toContain(secret);
    }
  });
});

const ALLOWED =
  /^<(?:!doctype html|\/?(?:html|head|body|main|h[123]|dl|dt|dd|nav|ul|li|aside|article|section|pre|code|details|summary|div|span|p|a|title|time)(?: (?:lang|id|class|href|dir|datetime|aria-label|open)(?:="")?)*|meta(?: (?:charset|http-equiv|content|name)="")+)>$/;

/** Elements that are closed in another order than they were opened. */
function balance(text: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  for (const [, close, name] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
    if (name === "meta" || name === "img") continue;
    if (close === "") open.push(name as string);
    else if (open.pop() !== name) wrong.push(name as string);
  }
  return [...wrong, ...open];
}
