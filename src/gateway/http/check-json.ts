import { invalid } from "../../errors.ts";
import { JSON_DEPTH_MAX, type Json } from "../../util/json.ts";

const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Refuses JSON from outside that is too deep, or has names that change what an object is. `what` is `body` or `frame`. */
export function checkJson(value: unknown, what: string, depth = 0): asserts value is Json {
  if (typeof value !== "object" || value === null) return;
  if (depth >= JSON_DEPTH_MAX)
    throw invalid(`The ${what} is nested deeper than ${JSON_DEPTH_MAX} levels`, what);
  if (Array.isArray(value)) {
    for (const item of value) checkJson(item, what, depth + 1);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    if (PROTOTYPE_NAMES.has(name)) throw invalid(`The name ${name} is not allowed in the ${what}`, name);
    checkJson(item, what, depth + 1);
  }
}
