/** What is shown, as the fragment of the address says. The server sees none of it. */
import { Cell } from "../state/cell.ts";

export type Place =
  | { readonly view: "home" }
  | { readonly view: "new" }
  | { readonly view: "conversation"; readonly id: string; readonly entry: string | null }
  | { readonly view: "page"; readonly name: string; readonly query: URLSearchParams };

export const place = new Cell<Place>(parsePlace(location.hash));

export function watchAddress(): void {
  // A sign-in link has been removed from the address since.
  place.set(parsePlace(location.hash));
  addEventListener("hashchange", () => place.set(parsePlace(location.hash)));
}

function parsePlace(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [first = "", ...rest] = path.split("/").map(decoded);
  if (first === "") return { view: "home" };
  if (first === "new") return { view: "new" };
  if (first === "c" && rest[0]) return { view: "conversation", id: rest[0], entry: rest[1] || null };
  return { view: "page", name: first, query: new URLSearchParams(search) };
}

export function conversationLink(id: string, entry?: string | null): string {
  const end = entry ? `/${encodeURIComponent(entry)}` : "";
  return `#/c/${encodeURIComponent(id)}${end}`;
}

/** `replace` leaves no step to go back to. */
export function go(link: string, { replace = false } = {}): void {
  if (!replace) {
    location.hash = link;
    return;
  }
  history.replaceState(null, "", link);
  place.set(parsePlace(link));
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
