/** `npm run screenshots`: every page in both themes, into docs/images. */
import { mkdirSync } from "node:fs";
import { openScene } from "./scene.ts";
import { seed } from "./seed.ts";

const FOLDER = "docs/images";
const SIZES = { large: [1440, 900], middle: [1024, 768], phone: [390, 844] } as const;

let id = "";
const words = "The index stays small if old hits move to another table.\n\n".match(/\S+\s*/g) ?? [];
const scene = await openScene(
  async (store) => {
    id = (await seed(store, Date.now())).id;
  },
  () => [...words.map((text) => ({ text })), { delayMs: 8000 }],
);
mkdirSync(FOLDER, { recursive: true });

const PLACES: readonly (readonly [name: string, place: string, sizes: readonly (keyof typeof SIZES)[]])[] = [
  ["conversation", `#/c/${id}`, ["large", "middle", "phone"]],
  ["list", "#/", ["phone"]],
  ["new", "#/new", ["large"]],
  ...["import", "memory", "usage", "tokens", "settings", "trash", "doctor", "about"].map(
    (name) => [name, `#/${name}`, ["large"]] as const,
  ),
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const size of Object.keys(SIZES) as (keyof typeof SIZES)[]) {
    const [width, height] = SIZES[size];
    const page = await scene.open("#/", { viewport: { width, height }, colorScheme });
    const shoot = async (name: string): Promise<void> => {
      await page.waitForTimeout(700);
      const end = size === "large" ? "" : `-${size}`;
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}${end}.png` });
    };
    for (const [name, place, sizes] of PLACES) {
      if (!sizes.includes(size)) continue;
      await page.goto(`${scene.url}/${place}`);
      await shoot(name);
    }
    if (size !== "large") continue;
    await page.goto(`${scene.url}/#/c/${id}`);
    await page.locator(".message").first().waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("c");
    await shoot("context");
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("index");
    await shoot("search");
    await page.context().clearCookies();
    await page.reload();
    await shoot("sign-in");
  }
}
await scene[Symbol.asyncDispose]();
