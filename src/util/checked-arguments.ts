/** Checks of arguments at the public doors: a wrong one is named, before it breaks something further in. */
import { invalid } from "../errors.ts";

/** An object that is not a list, such as options. */
export function checkObject(value: unknown, field: string): void {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw invalid(`${field} must be an object`, field);
}

export function checkList(value: unknown, field: string): void {
  if (!Array.isArray(value)) throw invalid(`${field} must be a list`, field);
}

/** A list, or anything else that `for … of` can go through. */
export function checkIterable(value: unknown, field: string): void {
  const isObject = typeof value === "object" && value !== null;
  if (!isObject || !(Symbol.iterator in value)) throw invalid(`${field} must be a list`, field);
}

export function checkObjects(value: unknown, field: string): void {
  checkList(value, field);
  for (const item of value as readonly unknown[]) checkObject(item, field);
}

export function checkStrings(value: unknown, field: string): void {
  checkList(value, field);
  for (const item of value as readonly unknown[]) checkString(item, field);
}

export function checkString(value: unknown, field: string): void {
  if (typeof value !== "string") throw invalid(`${field} must be a string`, field);
}

/** An object that has this method, such as a store. */
export function checkMethod(value: unknown, method: string, field: string): void {
  const found = (value as Readonly<Record<string, unknown>> | null | undefined)?.[method];
  if (typeof found !== "function") throw invalid(`${field} must be a ${field} that is open`, field);
}
