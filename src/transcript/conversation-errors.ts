import { ColloquyError } from "../errors.ts";

/** Messages were asked for before `load()` or `initialize()`. */
export class ConversationNotLoadedError extends ColloquyError {
  constructor() {
    super("CONFLICT", "The conversation is not loaded: call load() or initialize() first");
    this.name = "ConversationNotLoadedError";
  }
}

export class ConversationAlreadyExistsError extends ColloquyError {
  constructor(folder: string) {
    super("CONFLICT", `There is a conversation in ${folder} already: call load() instead`);
    this.name = "ConversationAlreadyExistsError";
  }
}
