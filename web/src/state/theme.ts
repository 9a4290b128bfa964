import { Cell } from "./cell.ts";
import { readStored, writeStored } from "./stored.ts";

export type Theme = "system" | "light" | "dark";

export const theme = new Cell<Theme>(known(readStored("theme")));

export function setTheme(value: Theme): void {
  writeStored("theme", value === "system" ? null : value);
  theme.set(value);
  showTheme();
}

/** Without the attribute, the system decides. */
export function showTheme(): void {
  if (theme.value === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme.value;
}

function known(text: string | null): Theme {
  return text === "light" || text === "dark" ? text : "system";
}
