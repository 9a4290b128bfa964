/** Pages beside the conversations in every size and theme: accessible, and nothing is cut off. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type BrowserPlace, openBrowserPlace } from "./pages-place.ts";

const PAGES = ["import", "memory", "usage", "tokens", "settings", "trash", "doctor", "about"];
const SIZES = [
  [1440, 900],
  [1024, 768],
  [390, 844],
] as const;
const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

let open: BrowserPlace;
let conversation = "";
beforeAll(async () => {
  open = await openBrowserPlace();
  conversation = await fill(open);
});
afterAll(async () => {
  expect(open.problems).toEqual([]);
  await open[Symbol.asyncDispose]();
});

it.each(
  SIZES.flatMap(([width, height]) => [
    { width, height, theme: "light" as const },
    { width, height, theme: "dark" as const },
  ]),
)("$width × $height, $theme", async ({ width, height, theme }) => {
  const page = await open.window({ viewport: { width, height }, colorScheme: theme });
  // Half of the combinations: what axe finds depends on the theme and on the size, rarely on both.
  const isChecked = (theme === "light") === width > 700;
  const look = async (name: string, part: string): Promise<void> => {
    if (isChecked) expect([name, await serious(page, part)]).toEqual([name, []]);
    expect([name, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([name, width]);
  };
  for (const name of PAGES) {
    await open.show(name, page);
    await page
      .locator(READY[name] ?? "h1")
      .first()
      .waitFor();
    await look(name, "main");
  }
  await open.show(`c/${conversation}`, page);
  await page.getByRole("main").getByText("Yes: hay brings seeds.").waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  for (const tab of ["Tree", "Context", "Details"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page
      .locator(READY[tab] ?? "")
      .first()
      .waitFor();
    await look(tab.toLowerCase(), ".inspector");
  }
  await page.context().close();
});

/** What is there once a page has been read. */
const READY: Readonly<Record<string, string>> = {
  import: ".found-tools",
  memory: ".memory-entry",
  usage: ".usage-table",
  tokens: ".table",
  settings: ".setting",
  trash: ".table",
  doctor: ".doctor-sum",
  about: ".fact-list",
  Tree: ".branch-row",
  Context: ".ledger-item",
  Details: ".exports",
};

async function serious(page: Page, part: string): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResult>(`axe.run("${part}")`);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

async function fill({ place }: BrowserPlace): Promise<string> {
  const { store } = place;
  const day = 86_400_000;
  const models = ["anthropic/claude-opus-4-5", "openai/gpt-5", "local/small"];
  for (let n = 0; n < 40; n++) {
    const chat = await store.create({ title: `Conversation ${n}`, channel: n % 3 === 0 ? "discord" : "web" });
    const usage = { input_tokens: 900 * (n % 7), output_tokens: 70 * (n % 5), cost: 0.02 * (n % 4) };
    const at = new Date(Date.now() - ((n * 7) % 30) * day).toISOString();
    await chat.append([
      { role: "user", content: `Question ${n}`, at },
      { role: "assistant", content: `Answer ${n}`, model: models[n % 3] ?? "", usage, at },
    ]);
    if (n % 13 === 0) await store.delete(chat.id);
  }
  for (const text of [
    "The owner prefers metric units.",
    "Tomatoes need a stake before they flower. ".repeat(20),
  ]) {
    await place.call("POST /api/v1/memory", { body: { text } });
  }
  const chat = await store.create({ title: "Plan the garden", channel: "web", key: "web:garden" });
  const { entries } = await chat.append([
    { role: "user", content: "Where shall we plant the tomatoes?" },
    { role: "assistant", content: "At the south wall, in raised beds." },
  ]);
  for (const name of ["shade", "wall", "greenhouse"]) {
    await chat.regenerate(entries[1]?.id ?? "", { name });
    await chat.append({
      role: "assistant",
      content: `In the place that is called ${name}, if there is sun.`,
    });
  }
  await chat.append([
    { role: "user", content: "Is straw better than hay?" },
    { role: "assistant", content: "Yes: hay brings seeds." },
  ]);
  return chat.id;
}
