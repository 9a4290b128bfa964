import type { JSX } from "preact";

/** Drawn on 16 × 16, in the colour of the text. */
const PATHS = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  back: "M10 3 5 8l5 5",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  up: "M4 10l4-4 4 4",
  more: "M3 8a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0zM7.5 8a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0zM12 8a.5.5 0 1 0 1 0 .5.5 0 0 0-1 0z",
  check: "M3 8.5 6.5 12 13 4.5",
  copy: "M6 6h7v7H6zM3 10V3h7",
  link: "M7 9a3 3 0 0 0 4.2 0l2-2A3 3 0 0 0 9 2.8l-.8.8M9 7a3 3 0 0 0-4.2 0l-2 2A3 3 0 0 0 7 13.2l.8-.8",
  edit: "M3 13l.6-2.8L11 2.8 13.2 5l-7.4 7.4L3 13zM9.5 4.3l2.2 2.2",
  again: "M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3",
  branch:
    "M5 5v6M5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.500 7a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM11.500 7c0 2.500-3 2-6.500 4",
  erase: "M3 8h10M5 4h6M6 12h4",
  trash: "M3 4.500h10M6.500 4.500V3h3v1.500M4.500 4.500l.5 8.500h6l.5-8.500",
  import: "M8 2v7M5 6.500 8 9.500l3-3M3 11v2h10v-2",
  memory: "M3 3.500h10v9H3zM3 6.500h10M6 9.500h4",
  usage: "M3 13V9M6.500 13V5M10 13V7.500M13 13V3",
  key: "M6 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8.200 7.800 13 3M11 5l2 2",
  settings: "M3 5h5M11 5h2M3 11h2M8 11h5M9.500 6.500v-3M6.500 12.500v-3",
  doctor: "M2 8h3l1.500-4 3 8L11 8h3",
  tree: "M4 3v10M4 8h4a3 3 0 0 0 3-3V4M4 12h4a3 3 0 0 1 3 0",
  context: "M3 4h10M3 8h10M3 12h6",
  attach: "M12.500 7 8 11.500a2.500 2.500 0 0 1-3.500-3.500L9 3.500a1.700 1.700 0 0 1 2.400 2.400L7 10.300",
  send: "M8 13V3M4 7l4-4 4 4",
  stop: "M4.500 4.500h7v7h-7z",
  sun: "M8 10.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM8 2v1M8 13v1M2 8h1M13 8h1M3.800 3.800l.7.7M11.500 11.500l.7.7M3.800 12.200l.7-.7M11.500 4.500l.7-.7",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3a5.500 5.500 0 1 0 6.500 6.500z",
  screen: "M2.500 3.500h11v7h-11zM6 13h4",
  leave: "M6 3H3v10h3M7 8h6M10.500 5.500 13 8l-2.500 2.500",
  warning: "M8 2.500 14 13H2zM8 6.500v3M8 11.200v.1",
  image: "M2.500 3.500h11v9h-11zM2.500 11l3.500-3.500 2.500 2.500 2-2 3 3",
  file: "M4 2h5l3 3v9H4zM9 2v3h3",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.300 6.300A1.700 1.700 0 1 1 8 8.500v.700M8 11.200v.1",
  pin: "M8 2v8M5 10h6M8 10v4M6 2h4",
  chat: "M2.500 3h11v8H8l-3 2.500V11H2.500z",
  list: "M5.500 4H13M5.500 8H13M5.500 12H13M3 4h.01M3 8h.01M3 12h.01",
  compare: "M8 2v12M3 5h2.500M3 8h2.500M10.500 5H13M10.500 8H13M10.500 11H13",
  download: "M8 2v8M5 7.500 8 10.500l3-3M3 13.500h10",
  thought: "M4 12.500a2 2 0 0 1-.5-4A3 3 0 0 1 8 5a3.500 3.500 0 0 1 5 3 2.300 2.300 0 0 1-.500 4.500z",
  tool: "M9.500 6.500 4 12l-1.500-.500L2 10l5.500-5.500M9 2.500a3 3 0 0 1 4.500 3.500l-2 .5-2-2 .5-2z",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: what it means is said in words beside it or by its button. */
export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class="icon-drawing" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
