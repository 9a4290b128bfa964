/** Every page except conversations, by its name in the address. Each is loaded when it is opened. */
import type { ComponentType } from "preact";
import type { IconName } from "../ui/icon.tsx";

export interface PageProps {
  readonly query: URLSearchParams;
}

export interface Page {
  readonly name: string;
  readonly title: string;
  readonly icon: IconName;
  load(): Promise<ComponentType<PageProps>>;
}

export const PAGES: readonly Page[] = [
  {
    name: "import",
    title: "Import",
    icon: "import",
    load: async () => (await import("./import/import-page.tsx")).ImportPage,
  },
  {
    name: "memory",
    title: "Memory",
    icon: "memory",
    load: async () => (await import("./memory/memory-page.tsx")).MemoryPage,
  },
  {
    name: "usage",
    title: "Usage",
    icon: "usage",
    load: async () => (await import("./usage/usage-page.tsx")).UsagePage,
  },
  {
    name: "tokens",
    title: "Tokens & devices",
    icon: "key",
    load: async () => (await import("./tokens/tokens-page.tsx")).TokensPage,
  },
  {
    name: "settings",
    title: "Settings",
    icon: "settings",
    load: async () => (await import("./settings/settings-page.tsx")).SettingsPage,
  },
  {
    name: "trash",
    title: "Trash",
    icon: "trash",
    load: async () => (await import("./trash/trash-page.tsx")).TrashPage,
  },
  {
    name: "doctor",
    title: "Doctor",
    icon: "doctor",
    load: async () => (await import("./doctor/doctor-page.tsx")).DoctorPage,
  },
  {
    name: "about",
    title: "What this is",
    icon: "help",
    load: async () => (await import("./about/about-page.tsx")).AboutPage,
  },
];
