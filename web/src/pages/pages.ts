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

export const PAGES: readonly Page[] = [];
