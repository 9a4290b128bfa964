/** Removes secrets from messages and other values of a store, property by property. */
import { isPlainObject, type Json, type JsonObject } from "../util/json.ts";
import { isSecretProperty, redactSecrets } from "./redact-secrets.ts";

export class ValueRedaction {
  /** The number of secrets removed so far. */
  count = 0;
  readonly #known: readonly string[];

  /** `known` values are removed too, wherever they are. */
  constructor(known: readonly string[] = []) {
    this.#known = known;
  }

  /** The same properties without secrets. */
  value<T>(value: T): T {
    return this.#value(value as Json, "", undefined) as T;
  }

  text(text: string): string {
    const redacted = redactSecrets(text, this.#known);
    this.count += redacted.count;
    return redacted.text;
  }

  #value(value: Json | undefined, name: string, holder: JsonObject | undefined): Json | undefined {
    if (typeof value === "string") return this.#property(value, name, holder);
    if (Array.isArray(value)) return value.map((item: Json) => this.#value(item, name, undefined) as Json);
    if (!isPlainObject(value)) return value;
    const object = value as JsonObject;
    const clean: Record<string, Json | undefined> = {};
    for (const [key, inner] of Object.entries(object)) {
      clean[freeName(clean, this.text(key))] = this.#value(inner, key, object);
    }
    // The seal of a text that has changed is broken, and a model refuses it.
    if (clean.type === "thinking" && clean.thinking !== object.thinking) delete clean.signature;
    return clean;
  }

  #property(text: string, name: string, holder: JsonObject | undefined): string {
    if (isOpaque(name, holder?.type)) return text;
    if (!isSecretProperty(name, text)) return this.text(text);
    this.count++;
    return "[redacted: secret]";
  }
}

/** An image is not text, and a changed id would no longer refer to anything. */
function isOpaque(name: string, type: Json | undefined): boolean {
  switch (name) {
    case "data":
      return type === "base64" || type === "redacted_thinking";
    case "id":
      return type === "tool_use";
    case "tool_use_id":
      return type === "tool_result";
    case "signature":
      return type === "thinking";
    default:
      return false;
  }
}

/** Two names may become equal when a secret is redacted in both. */
function freeName(properties: Readonly<Record<string, unknown>>, wanted: string): string {
  let name = wanted;
  for (let copy = 2; Object.hasOwn(properties, name); copy++) name = `${wanted} ${copy}`;
  return name;
}
