import type { SettingView } from "../../../../src/gateway/wire/rest.ts";

export const WHICH = {
  all: "All settings",
  set: "Only those that are set",
  editable: "Only those that can be changed here",
} as const;
export type Which = keyof typeof WHICH;

/** Settings that have every word in their path, help or value. */
export function matchSettings(
  settings: readonly SettingView[],
  text: string,
  which: Which = "all",
): readonly SettingView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter(({ path, help, value, source, editable }) => {
    if ((which === "set" && source === "default") || (which === "editable" && !editable)) return false;
    const all = `${path} ${help ?? ""} ${JSON.stringify(value) ?? ""} ${source}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export interface SettingSection {
  readonly name: string;
  readonly settings: readonly SettingView[];
}

/** What does nothing yet, and what Colloquy notes for itself, is not for readers. */
export function readable(settings: readonly SettingView[]): readonly SettingView[] {
  return settings.filter(
    ({ path, help, source }) =>
      !/^meta\b/.test(path) && (source !== "default" || !/not used yet/i.test(help ?? "")),
  );
}

/** By the first part of the path, in the order of the list. What can be changed here comes first. */
export function sections(settings: readonly SettingView[]): readonly SettingSection[] {
  const groups = Map.groupBy(settings, ({ path }) => path.split(/[.[]/, 1)[0] as string);
  return [...groups]
    .map(([name, items]) => ({ name, settings: editableFirst(items) }))
    .toSorted((a, b) => Number(hasEditable(b)) - Number(hasEditable(a)));
}

function editableFirst(items: readonly SettingView[]): readonly SettingView[] {
  return items.toSorted((a, b) => Number(b.editable) - Number(a.editable));
}

function hasEditable({ settings }: SettingSection): boolean {
  return settings.some(({ editable }) => editable);
}
