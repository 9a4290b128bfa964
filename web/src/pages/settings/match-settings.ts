import type { SettingView } from "../../../../src/gateway/wire/rest.ts";

/** Settings that have every word in their path, help or value. */
export function matchSettings(settings: readonly SettingView[], text: string): readonly SettingView[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return settings;
  return settings.filter(({ path, help, value, source }) => {
    const all = `${path} ${help ?? ""} ${JSON.stringify(value) ?? ""} ${source}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export interface SettingSection {
  readonly name: string;
  readonly settings: readonly SettingView[];
}

/** By the first part of the path, in the order of the list. */
export function sections(settings: readonly SettingView[]): readonly SettingSection[] {
  const groups = Map.groupBy(settings, ({ path }) => path.split(/[.[]/, 1)[0] as string);
  return [...groups].map(([name, items]) => ({ name, settings: items }));
}
