/** `colloquy/client`: talks to a gateway, from a browser or from Node. */

export type * from "../wire/auth.ts";
export * from "../wire/frames.ts";
export type * from "../wire/rest.ts";
