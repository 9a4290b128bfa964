import type { Block } from "../../../message/types.ts";
import { defined, type JsonObject } from "../../../util/json.ts";
import { filledIn } from "../../../util/values.ts";
import { foreignBlock, mediaFromUrl } from "../shared/whole-tree-blocks.ts";

/** A file that is known by its address only was on the machine of the user: the address is kept. */
export function fileBlockOf({ mime, filename, name, url, uri }: JsonObject): Block {
  const address = filledIn(url) ?? filledIn(uri) ?? "";
  const title = filledIn(filename) ?? filledIn(name);
  const block = mediaFromUrl(address, filledIn(mime), title);
  return block ?? foreignBlock("opencode", "file", defined({ mime, filename: title, url: address }));
}
