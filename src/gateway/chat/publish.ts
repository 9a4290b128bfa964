import type { EventName, Events } from "../wire/frames.ts";

/** Tells those who watch a conversation. */
export type Publish = <Name extends EventName>(event: Name, data: Events[Name]) => void;
