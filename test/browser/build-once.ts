import { freshPage } from "../../scripts/build-page.ts";

/** Before the first gateway starts, so that two of them do not build the page at the same time. */
export default async function setup(): Promise<void> {
  await freshPage();
}
