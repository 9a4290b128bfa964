import { freshPage } from "../../scripts/build-page.ts";
import { serveBrowser } from "./open-browser.ts";

/** Builds the page before the first gateway starts, so that two of them do not at the same time, and starts Chromium. */
export default async function setup(): Promise<() => Promise<void>> {
  const [browser] = await Promise.all([serveBrowser(), freshPage()]);
  return () => browser.close();
}
